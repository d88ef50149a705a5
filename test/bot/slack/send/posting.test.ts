import { expect, test } from "vitest";
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

test("--share reaches a channel that the bot is not in", async () => {
  await using town = await world({ apiFetch: logging });

  await town.developer.says("/gantry list services --share", { channel: "general" });
  await town.settled();

  expect(newest(town.approver, "general")).toContain("web");
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

async function listing({ url }: Request): Promise<Response> {
  const isServices = new URL(url).pathname.endsWith("/services");
  return Response.json(isServices ? { services: [{ name: "web", status: "Running" }] } : { jobs: [] });
}

async function lists(town: World): Promise<string> {
  await town.developer.says("/gantry list");
  await town.settled();
  return newest(town.developer, "ops");
}

test("a Slack that refuses the blocks of a list gets its text, and the blocks again next time", async () => {
  await using town = await world({ apiFetch: listing });
  town.playground.faults.answer("response_url", "blocks", { times: 1 });

  const first = await lists(town);
  const second = await lists(town);

  expect(first).toContain("1 service in beijing1: 🟢 web running");
  expect(first).toContain("Couldn't show the buttons.");
  expect(second).toContain("🟢 web · running");
  expect(second).toContain("[Act on… ▾]");
});
