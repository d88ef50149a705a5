import { afterAll, beforeAll, expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import { creates } from "../../support/channel-town.ts";
import { newest, type World } from "../../support/world.ts";

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue"])));
afterAll(() => town.close());

/** Says something in the conversation with the bot; gives the newest message there. */
async function inDirect(text: string): Promise<string> {
  await town.developer.says(text, { channel: "@gantry" });
  await town.settled();
  return newest(town.developer, "@gantry");
}

test("in a direct message small talk gets the menu, a question is answered, and a change asks first and runs when confirmed", async () => {
  const { developer } = town;
  expect(await inDirect("hi")).toContain("What would you like to do?");
  expect(await inDirect("how is web doing?")).toContain("🟢 web · running");

  expect(await inDirect("can you scale worker to 3 please?")).toContain("Scale worker to 3?");
  expect((await town.service("worker")).target_instance_size).toBe(1);
  await developer.clicks("Scale worker to 3", { channel: "@gantry" });
  await town.settled();
  expect((await town.service("worker")).target_instance_size).toBe(3);

  // Without a name, the workloads of the last list are offered.
  await says(town, developer, "/gantry list");
  expect(await inDirect("restart")).toContain("restart needs a workload.");
  await developer.clicks("Restart web", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toMatch(/approv|nobody/iu);
});

test("in a channel only its author is asked, and confirms a request or an approval; cancelled, nothing happens", async () => {
  const { developer, approver } = town;
  const before = { restarts: count(town, "restartService"), whispers: whispers(approver).length };

  await says(town, developer, "@gantry could you restart web");
  await clicks(town, developer, "Cancel");
  expect(whispers(developer).at(-1)).toBe("Cancelled. Nothing was changed.");

  await says(town, developer, "@gantry restart the queue service please");
  expect(whispers(developer).at(-1)).toContain("Restart queue?");
  expect(whispers(approver)).toHaveLength(before.whispers);
  await clicks(town, developer, "Restart queue");
  const id = idOf(card(approver));

  // An approval inside a sentence isn't one.
  await says(town, approver, `wait with your @gantry approve ${id}`);
  expect(whispers(approver).at(-1)).toContain(`Approve ${id}?`);
  expect(card(approver)).toContain("0 of 1");
  expect(count(town, "restartService")).toBe(before.restarts);
  await clicks(town, approver, `Approve ${id}`);
  expect(count(town, "restartService")).toBe(before.restarts + 1);
});

test("sentences are understood after the slash command, too, and undo offers one's own newest change", async () => {
  const { developer, approver } = town;
  expect(await says(town, developer, "/gantry how is web doing?")).toContain("🟢 web · running");
  expect(await says(town, developer, "/gantry add 2 instances to web")).toContain("Scale web by +2?");
  await clicks(town, developer, "Scale web by +2");
  expect((await town.service("web")).target_instance_size).toBe(4);

  expect(await says(town, approver, "/gantry undo")).toContain("None of your latest changes can be undone.");
  expect(await says(town, developer, "/gantry undo")).toMatch(/Scal(?:ed|ing) web to 4[\s\S]*Nothing changes until/u);
  expect((await town.service("web")).target_instance_size).toBe(4);
  await clicks(town, developer, "Undo");
  await clicks(town, approver, "Approve");

  expect((await town.service("web")).target_instance_size).toBe(2);
});

test("a question about a region gets the list of that region, and a change there is asked with it", async () => {
  await creates(town, "far", "beijing2");

  const there = await inDirect("what's running in beijing2?");
  expect(there).toContain("far");
  expect(there).not.toContain("web");
  expect(await inDirect("which services run here")).not.toContain("far");
  expect(await inDirect("restart far in beijing2")).toContain("Restart far in beijing2?");
});
