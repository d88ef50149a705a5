import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { HistoryEvent } from "../../../src/bot/changes/history-event.ts";
import { approvalTown, othersScale } from "../../support/approval-town.ts";
import { awayStore } from "../../support/away-store.ts";
import { happened } from "../../support/channel-town.ts";
import { connects } from "../../support/linking.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Every row there is, oldest first. */
async function rows(town: World): Promise<readonly HistoryEvent[]> {
  return (await town.store().history({ teamId: "T0PLAYGR", limit: 1_000 })).toReversed();
}

/** The part of a row in the file that this test reads. */
const Row = z.object({ event: z.string(), who: z.object({ id: z.string(), name: z.string() }).nullable() });

/** A row as a line: who, what, and about which change. */
function inShort({ kind, who, verb, workload }: HistoryEvent): string {
  return [who?.name ?? "Gantry", kind, verb, workload?.name].filter((part) => part !== undefined).join(" ");
}

describe("the history of a town", () => {
  let town: World;
  /** What everybody did, with every end that a request can have. */
  beforeAll(async () => {
    town = await approvalTown();
    const { developer, approver, guest } = town;
    await says(town, developer, "/gantry scale web 3");
    await says(town, guest, "/gantry scale web 4");
    await says(town, developer, '/gantry restart web --reason "it leaks"');
    await clicks(town, developer, "Approve");
    town.passMinutes(2);
    await clicks(town, approver, "Approve");
    await says(town, developer, "/gantry stop web");
    await says(town, approver, `/gantry reject ${idOf(card(developer))} --reason "not today"`);
    await says(town, developer, "/gantry delete web");
    await clicks(town, developer, "Cancel request");
    await says(town, developer, "/gantry scale web 1");
    await othersScale(town, "web", 5);
    await clicks(town, approver, "Approve");
    await says(town, developer, "/gantry stop web");
    town.passMinutes(61);
    await town.sweep();
    await connects(town, developer, { username: "gantry", token: town.token });
    await says(town, developer, "/gantry disconnect");
  });
  afterAll(async () => town.close());

  test("has a row for each step, with the real names of then, in the log as well", async () => {
    const all = await rows(town);

    expect(all.map(inShort)).toEqual([
      "Dana Reyes requested scale web",
      "Gantry claimed scale web",
      "Gantry done scale web",
      "Gwen Moss refused scale web",
      "Dana Reyes requested restart web",
      "Dana Reyes vote-refused restart web",
      "Alex Kim voted restart web",
      "Gantry approved restart web",
      "Gantry claimed restart web",
      "Gantry done restart web",
      "Dana Reyes requested stop web",
      "Alex Kim rejected stop web",
      "Dana Reyes requested delete web",
      "Dana Reyes cancelled delete web",
      "Dana Reyes requested scale web",
      "Alex Kim voted scale web",
      "Gantry approved scale web",
      "Gantry drifted scale web",
      "Dana Reyes requested stop web",
      "Gantry expired stop web",
      "Dana Reyes connected connect",
      "Dana Reyes disconnected disconnect",
    ]);
    const requested = all.find(({ kind, verb }) => kind === "requested" && verb === "restart");
    const voted = all.find(({ kind }) => kind === "voted");
    const done = all.find(({ kind, verb }) => kind === "done" && verb === "restart");
    expect(voted).toMatchObject({
      who: { userId: "U0ALEX", name: "Alex Kim" },
      channelId: "C0OPS",
      verb: "restart",
      workload: { kind: "service", region: "beijing1", name: "web" },
      account: "gantry",
      rule: "disruptive changes",
      breakGlass: false,
    });
    expect(voted?.changeId).toBe(requested?.changeId);
    expect(done?.elapsedMs).toBeGreaterThanOrEqual(2 * 60_000);
    const logged = town.logged().filter(({ msg }) => msg === "history");
    expect(logged.map(({ history }) => z.object({ kind: z.string() }).parse(history).kind)).toEqual(
      all.map(({ kind }) => kind),
    );
    expect(logged.every(({ level }) => level === 30)).toBe(true);
  });

  test("is told as how each request ended, or in a line who did one thing last", async () => {
    const told = await says(town, town.approver, "/gantry history");
    const restarted = await says(town, town.developer, "/gantry who restarted web?");

    expect(told.replaceAll(/ · \d+[smh] ago$/gmu, "").split("\n")).toEqual([
      "History · newest first",
      "🔑 Disconnected the account gantry · by Dana Reyes",
      "🔑 Connected the account gantry · by Dana Reyes",
      "⌛ Expired: stop web · asked by Dana Reyes · not approved in time",
      "⚠️ Not run: scale web to 1, because it changed meanwhile · asked by Dana Reyes",
      "🚫 Cancelled: delete web · by Dana Reyes",
      "🚫 Rejected: stop web · by Alex Kim · “not today” · asked by Dana Reyes",
      "✅ Restarted web · by Dana Reyes · approved by Alex Kim · “it leaks”",
      "🚫 Refused: scale web · asked by Gwen Moss",
      "✅ Scaled web to 3 · by Dana Reyes · was 2",
      "[Every step as a file]",
    ]);
    expect(restarted.split("\n")).toEqual([expect.stringMatching(/Restarted web · by Dana Reyes/u), "[History]"]);
  });
});

test("it is kept as long as configured, and no longer", async () => {
  const dayMs = 24 * 60 * 60_000;
  await using town = await approvalTown({ keepHistoryMs: 10 * dayMs });
  await says(town, town.developer, "/gantry scale web 3");
  town.passMinutes((9 * dayMs) / 60_000);
  await town.sweep();
  expect(await rows(town)).toHaveLength(3);
  await says(town, town.developer, "/gantry scale web 4");

  town.passMinutes((2 * dayMs) / 60_000);
  await town.sweep();

  expect((await rows(town)).map(inShort)).toEqual([
    "Dana Reyes requested scale web",
    "Gantry claimed scale web",
    "Gantry done scale web",
  ]);
  expect(await says(town, town.developer, "/gantry history")).not.toContain("2 → 3");
});

test("history as a file is for the asker alone, and where Slack doesn't take it, outcomes are shown instead", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");

  const told = await says(town, developer, "/gantry history --json");

  expect(told).toContain("Only you should see this file");
  expect(whispers(developer)).toContain(told);
  expect(developer.sees("ops").flatMap(({ files }) => files)).toEqual([]);
  expect(approver.sees("@gantry")).toEqual([]);
  const file = developer
    .sees("@gantry")
    .flatMap(({ files }) => files)
    .at(-1);
  expect(file?.name).toMatch(/\.json/u);
  const inFile = z.array(Row).parse(JSON.parse(file?.content ?? ""));
  expect(inFile.map(({ event }) => event)).toEqual(["done", "claimed", "requested"]);
  expect(inFile.at(-1)?.who).toEqual({ id: "U0DANA", name: "Dana Reyes" });

  // In the conversation with Gantry it is answered there, and nothing more is said.
  const before = developer.sees("@gantry").length;
  await saysIn(town, { person: developer, channel: "@gantry" }, "/gantry history --json");
  const seen = developer.sees("@gantry").slice(before);
  expect(seen.flatMap(({ files }) => files)).toHaveLength(1);
  expect(seen.map(({ text }) => text).join("\n")).not.toContain("in your conversation");

  town.playground.faults.answer("chat.postMessage", "500");
  expect(await says(town, developer, "/gantry history --json")).toContain(
    "Couldn't send the file: Slack didn't accept it.",
  );
  town.playground.faults.clear();
  expect(await clicks(town, developer, "Show here")).toMatch(/Scaled web to 3 · by Dana Reyes/u);
});

test("a look that policy or a locked channel refuses is in history, and is told although history can't be written", async () => {
  const database = awayStore();
  await using town = await approvalTown({ store: database.wrap });
  const { developer, approver, guest } = town;

  await says(town, guest, "/gantry show web");
  await says(town, guest, "/gantry list services");
  database.leave();
  expect(await says(town, guest, "/gantry show web")).toMatch(/no policy rule allows it for guests/u);
  database.comeBack();
  await says(town, developer, '/gantry use --names "shop-*" --lock');
  await says(town, approver, "/gantry show web");

  expect((await happened(town)).filter((row) => row.startsWith("refused"))).toEqual([
    expect.stringMatching(/^refused Alex Kim: .*locked this channel to the names shop-\*/u),
    expect.stringMatching(/^refused Gwen Moss: .*list services/u),
    expect.stringMatching(/^refused Gwen Moss: .*look at/u),
  ]);
});
