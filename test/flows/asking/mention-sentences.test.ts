import { afterAll, beforeAll, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import { newest, type World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue"])));
afterAll(() => town.close());

test("a sentence that changes something asks first, and runs when its author confirms", async () => {
  const { developer } = town;

  await developer.says("can you scale worker to 3 please?", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toContain("Scale worker to 3?");
  expect((await town.service("worker")).target_instance_size).toBe(1);

  await developer.clicks("Scale worker to 3", { channel: "@gantry" });
  await town.settled();

  expect((await town.service("worker")).target_instance_size).toBe(3);
});

test("in a channel only its author is asked, and the change still needs its approval", async () => {
  const { developer, approver } = town;
  const before = { restarts: count(town, "restartService"), whispers: whispers(approver).length };

  await developer.says("@gantry restart the worker service please");
  await town.settled();
  expect(whispers(developer).at(-1)).toContain("Restart worker?");
  expect(whispers(approver)).toHaveLength(before.whispers);

  await clicks(town, developer, "Restart worker");

  expect(count(town, "restartService")).toBe(before.restarts);
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(before.restarts + 1);
});

test("cancelled, nothing happens", async () => {
  const { developer } = town;
  const before = count(town, "restartService");

  await developer.says("@gantry could you restart web");
  await town.settled();
  await clicks(town, developer, "Cancel");

  expect(whispers(developer).at(-1)).toBe("Cancelled. Nothing was changed.");
  expect(count(town, "restartService")).toBe(before);
});

test("a sentence that only reads is answered, and small talk gets the menu", async () => {
  const { developer } = town;

  expect(await inDirect("how is web doing?")).toContain("🟢 web · running");
  expect(await inDirect("hi")).toContain("What would you like to do?");

  async function inDirect(text: string): Promise<string> {
    await developer.says(text, { channel: "@gantry" });
    await town.settled();
    return newest(developer, "@gantry");
  }
});

test("without a name the workloads of the last list are offered", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry list");

  await developer.says("restart", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toContain("restart needs a workload.");
  await developer.clicks("Restart web", { channel: "@gantry" });
  await town.settled();

  expect(newest(developer, "@gantry")).toMatch(/approv|nobody/iu);
});

test("an approval inside a sentence isn't one, until its author confirms it", async () => {
  const { developer, approver } = town;
  const before = count(town, "restartService");
  await says(town, developer, "/gantry restart queue");
  const id = idOf(card(approver));

  await says(town, approver, `wait with your @gantry approve ${id}`);
  expect(whispers(approver).at(-1)).toContain(`Approve ${id}?`);
  expect(card(approver)).toContain("0 of 1");

  await clicks(town, approver, `Approve ${id}`);
  expect(count(town, "restartService")).toBe(before + 1);
});

test("what is said about a change, with a mention inside, scales nothing", async () => {
  const before = count(town, "updateService");

  await says(town, town.developer, "whatever happens, don't let @gantry scale web 5");

  expect(whispers(town.developer).at(-1)).toContain("Nothing was changed.");
  expect(count(town, "updateService")).toBe(before);
});

test("a quote says nothing to the bot", async () => {
  const before = town.developer.sees("ops").length;

  await says(town, town.developer, "> @gantry scale web 5\nwho did that?");

  expect(town.developer.sees("ops")).toHaveLength(before + 1);
});

test("undo offers one's own newest change, and its button takes it back", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale queue 3");
  await says(town, developer, "/gantry scale queue 5");

  expect(await says(town, approver, "/gantry undo")).toContain("None of your latest changes can be undone.");
  expect(await says(town, developer, "/gantry undo")).toMatch(/queue scaled 3 → 5[\s\S]*Nothing changes until/u);
  expect((await town.service("queue")).target_instance_size).toBe(5);
  await clicks(town, developer, "Undo");
  await clicks(town, approver, "Approve");
  expect((await town.service("queue")).target_instance_size).toBe(3);

  expect(await says(town, developer, "/gantry undo that")).toMatch(/queue scaled/u);
});

test("sentences are understood after the slash command, too", async () => {
  const { developer } = town;

  expect(await says(town, developer, "/gantry how is web doing?")).toContain("🟢 web · running");
  expect(await says(town, developer, "/gantry add 2 instances to web")).toContain("Scale web by +2?");
  await clicks(town, developer, "Scale web by +2");
  expect((await town.service("web")).target_instance_size).toBe(4);
});
