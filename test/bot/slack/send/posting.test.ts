import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newest, world, type World } from "../../../support/world.ts";

const lines = ["first line", "second line", "third line"];

/** A service of the API with one service, `web`, that has a short log. */
async function logging({ url }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  if (pathname.endsWith("/services/web/logs")) {
    return Response.json(lines.map((log) => ({ instance_name: "web-0", log })));
  }
  if (pathname.endsWith("/services")) return Response.json({ services: [{ name: "web", status: "Running" }] });
  if (pathname.endsWith("/jobs")) return Response.json({ jobs: [] });
  return Response.json({ message: "no such thing" }, { status: 404 });
}

function seen(town: World, channel = "ops"): string {
  return town.developer
    .sees(channel)
    .map(({ text }) => text)
    .join("\n");
}

test("where the bot is no member, the asker alone is answered, until an invitation mends it", async () => {
  await using town = await world({ apiFetch: logging });

  for (const channel of ["general", "incidents"]) {
    await town.developer.says("/gantry logs service/web", { channel });
    await town.settled();

    expect(seen(town, channel)).toContain("third line");
    expect(seen(town, channel)).toContain("/invite @gantry");
    expect(town.developer.sees(channel).every(({ isEphemeral }) => isEphemeral)).toBe(true);
  }

  town.playground.faults.inviteBot("general");
  await town.developer.says("/gantry logs service/web", { channel: "general" });
  await town.settled();

  expect(town.thread("general")).toHaveLength(2);
  expect(newest(town.developer, "general")).not.toContain("/invite");
});

test("--share reaches a channel that the bot is not in", async () => {
  await using town = await world({ apiFetch: logging });

  await town.developer.says("/gantry list services --share", { channel: "general" });
  await town.settled();

  expect(newest(town.approver, "general")).toContain("web");
});

describe("a response_url", () => {
  let town: World;
  beforeAll(async () => (town = await world({ apiFetch: logging })));
  afterAll(() => town.close());
  afterEach(() => town.playground.faults.clear());

  /** What was sent for one command, by kind. */
  async function sentFor(command: string): Promise<(kind: string) => number> {
    const from = town.playground.transcript().length;
    await town.developer.says(command);
    await town.settled();
    const later = town.playground.transcript().slice(from);
    return (kind) => later.filter((each) => each.direction === "from bot" && each.kind === kind).length;
  }

  test.each(["429", "500"] as const)("that fails once (%s) is tried again", async (failure) => {
    const before = town.developer.sees("ops").length;
    town.playground.faults.answer("response_url", failure, 1);

    const sent = await sentFor("/gantry list services");

    expect(newest(town.developer)).toContain("web");
    expect(sent("response_url")).toBe(2);
    expect(town.developer.sees("ops")).toHaveLength(before + 1);
  });

  test.each(["500", "garbage"] as const)("that stays broken (%s) is left, and the person answered", async (failure) => {
    town.playground.faults.answer("response_url", failure);

    const sent = await sentFor("/gantry list services");

    expect(newest(town.developer)).toContain("web");
    expect(sent("response_url")).toBe(3);
    expect(sent("chat.postEphemeral")).toBe(1);
  });
});

test("when nothing gets through, it stands in the log, and the bot goes on", async () => {
  await using town = await world({ apiFetch: logging });
  town.playground.faults.answer("all", "500");

  await town.developer.says("/gantry list services");
  await town.settled();
  town.playground.faults.clear();
  await town.developer.says("/gantry list services");
  await town.settled();

  expect(town.logged().some(({ msg }) => msg === "couldn't answer a person")).toBe(true);
  expect(town.developer.sees("ops")).toHaveLength(1);
});

test("a thread that Slack stops taking is said to be incomplete, with the reference in the log", async () => {
  await using town = await world({ apiFetch: logging });
  town.playground.faults.answer("chat.postMessage", "500", 0);
  const says = town.developer.says("/gantry logs service/web");
  // The head is let through, every later post fails.
  const watching = town.playground.watch(() => town.playground.faults.answer("chat.postMessage", "500"));
  await says;
  await town.settled();
  watching();

  const reference = /[Rr]eference ([0-9a-f]{8})/u.exec(seen(town))?.[1];
  expect(seen(town)).toContain("Couldn't post the whole thread: Slack didn't answer. Try again in a minute");
  expect(town.logged().filter((line) => line["reference"] === reference)).toEqual([
    expect.objectContaining({ msg: "a call to Slack failed", method: "chat.postMessage" }),
    expect.objectContaining({ msg: "couldn't complete a thread" }),
  ]);
});

test("the log holds no token, no typed words, no response_url and no log excerpt", async () => {
  await using town = await world({ apiFetch: logging });

  await town.developer.says("/gantry list zebra-crossing");
  await town.developer.says("/gantry logs service/web");
  await town.developer.says("/gantry show nothing-like-it");
  town.playground.faults.answer("response_url", "500", 3);
  await town.developer.says("/gantry whoami");
  await town.settled();

  const log = JSON.stringify(town.logged());
  expect(town.logged().length).toBeGreaterThan(0);
  for (const secret of [town.token, town.signingSecret, "xoxb-", "zebra", "nothing-like", "/response/", "third line"]) {
    expect(log).not.toContain(secret);
  }
});
