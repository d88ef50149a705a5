import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { clicks, says, whispers } from "../support/speak.ts";
import { newest } from "../support/world.ts";

test("a sentence that changes something asks first, and runs when its author confirms", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("can you scale web to 3 please?", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toContain("Scale web to 3?");
  expect(count(town, "updateService")).toBe(0);

  await developer.clicks("Scale web to 3", { channel: "@gantry" });
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
});

test("in a channel only its author is asked, and the change still needs its approval", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;

  await developer.says("@gantry restart the web service please");
  await town.settled();
  expect(whispers(developer).at(-1)).toContain("Restart web?");
  expect(whispers(approver)).toEqual([]);

  await clicks(town, developer, "Restart web");

  expect(count(town, "restartService")).toBe(0);
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(1);
});

test("cancelled, nothing happens", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("@gantry please restart web");
  await town.settled();
  await clicks(town, developer, "Cancel");

  expect(whispers(developer).at(-1)).toBe("Cancelled. Nothing was changed.");
  expect(count(town, "restartService")).toBe(0);
});

test("a sentence that only reads is answered", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("how is web doing?", { channel: "@gantry" });
  await town.settled();

  expect(newest(developer, "@gantry")).toContain("🟢 web · running");
});

test.each(["hi", "thanks!"])("%s gets the menu", async (text) => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says(text, { channel: "@gantry" });
  await town.settled();

  expect(newest(developer, "@gantry")).toContain("/gantry");
});

test("a sentence against a change changes nothing, and says that it wasn't understood", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  await developer.says("please don't restart web", { channel: "@gantry" });
  await town.settled();

  expect(newest(developer, "@gantry")).toContain("I didn't understand that. Nothing was changed.");
});

test("without a name the workloads of the last list are offered", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry list");

  await developer.says("restart", { channel: "@gantry" });
  await town.settled();
  expect(newest(developer, "@gantry")).toContain("restart needs a workload.");
  await developer.clicks("Restart web", { channel: "@gantry" });
  await town.settled();

  expect(newest(developer, "@gantry")).toMatch(/approv|nobody/iu);
});
