import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import { newest } from "../../support/world.ts";

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

  await developer.says("@gantry could you restart web");
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

test("an approval inside a sentence isn't one, until its author confirms it", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  const id = idOf(card(approver));

  await says(town, approver, `wait with your @gantry approve ${id}`);
  expect(whispers(approver).at(-1)).toContain(`Approve ${id}?`);
  expect(card(approver)).toContain("0 of 1");

  await clicks(town, approver, `Approve ${id}`);
  expect(count(town, "restartService")).toBe(1);
});

test.each([
  "whatever happens, don't let @gantry scale web 5",
  "yesterday somebody typed @gantry scale web 5",
  "@gantry scale web 5?!",
])("%s: nothing is scaled", async (text) => {
  await using town = await approvalTown();

  await says(town, town.developer, text);

  expect(count(town, "updateService")).toBe(0);
  expect(whispers(town.developer).at(-1)).toMatch(/Nothing was changed|Nothing changes until you confirm/u);
});

test.each(["> @gantry scale web 5\nwho did that?", "it was `@gantry scale web 5`", "```\n@gantry scale web 5\n```"])(
  "a quote or code says nothing to the bot: %s",
  async (text) => {
    await using town = await approvalTown();
    const before = town.developer.sees("ops").length;

    await says(town, town.developer, text);

    expect(count(town, "updateService")).toBe(0);
    expect(town.developer.sees("ops")).toHaveLength(before + 1);
  },
);

test("whether one may is answered, and nothing is opened or deleted", async () => {
  await using town = await approvalTown();

  await town.developer.says("can I delete web?", { channel: "@gantry" });
  await town.settled();

  expect(newest(town.developer, "@gantry")).toMatch(/needs 1 approval[\s\S]*permanently deletes web/u);
  expect(town.developer.modal()).toBeUndefined();
  expect(count(town, "deleteService")).toBe(0);
});

test("undo offers one's own newest change, and its button takes it back", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  await says(town, developer, "/gantry scale web 5");

  expect(await says(town, approver, "/gantry undo")).toContain("None of your latest changes can be undone.");
  expect(await says(town, developer, "/gantry undo")).toMatch(/web scaled 3 → 5[\s\S]*Nothing changes until/u);
  expect((await town.service("web")).target_instance_size).toBe(5);
  await clicks(town, developer, "Undo");
  await clicks(town, approver, "Approve");
  expect((await town.service("web")).target_instance_size).toBe(3);

  expect(await says(town, developer, "/gantry undo that")).toMatch(/web scaled/u);
});

test("sentences are understood after the slash command, too", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  expect(await says(town, developer, "/gantry how is web doing?")).toContain("🟢 web · running");
  expect(await says(town, developer, "/gantry add 2 instances to web")).toContain("Scale web by +2?");
  await clicks(town, developer, "Scale web by +2");
  expect((await town.service("web")).target_instance_size).toBe(4);
});
