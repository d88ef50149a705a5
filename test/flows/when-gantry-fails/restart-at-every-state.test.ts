import { expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { buttons, killTown } from "../../support/kill-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";

test("killed before an accepted command was begun: the next bot goes on with it", async () => {
  const { town, killAt } = await killTown();
  await using _town = town;

  await killAt("impliedFor", "before", () => town.developer.says("/gantry scale web 3"));

  expect(count(town, "updateService")).toBe(1);
  expect(card(town.developer)).toMatch(/^(?:✅|🟡) web scaled to 3.*instances 2 → 3/isu);
});

test("a command that nobody began for long is not begun any more, and who typed it is told", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  stalls.at("impliedFor", "before");
  await town.developer.says("/gantry restart web");
  await town.until(stalls.isReached);
  stalls.clear();

  town.passMinutes(6);
  await town.crashBot();
  await town.settled();

  expect(whispers(town.developer).at(-1)).toMatch(/stopped before I started your restart.*Nothing was changed/u);
  expect(town.calls()).toEqual([]);
  expect(card(town.developer)).toBe("");
});

test.each([
  ["before", "nothing was stored yet"],
  ["after", "it was stored, and nobody knew"],
] as const)("killed while a request was stored (%s): it stands once, because %s", async (moment, _why) => {
  const { town, killAt } = await killTown();
  await using _town = town;

  await killAt("insertChange", moment, () => town.developer.says("/gantry restart web"));

  expect(card(town.developer)).toMatch(/0 of 1/u);
  expect(buttons(town)).toHaveLength(3);
  await clicks(town, town.approver, "Approve");
  expect(count(town, "restartService")).toBe(1);
  expect(buttons(town)).toEqual([]);
});

test.each(["before", "after"] as const)(
  "killed while the card was stored (%s): it has buttons once, and they go when it is decided",
  async (moment) => {
    const { town, killAt } = await killTown();
    await using _town = town;
    const { developer, approver } = town;
    await killAt("savePost", moment, () => developer.says("/gantry restart web"));
    // Who drew it had the right to for a while.
    town.passMinutes(1);
    await town.sweep();
    expect(buttons(town)).toHaveLength(3);

    await clicks(town, approver, "Approve");
    expect(count(town, "restartService")).toBe(1);
    expect(buttons(town)).toEqual([]);
  },
);

test.each([
  ["find", "before"],
  ["approve", "before"],
  ["approve", "after"],
] as const)("killed at a vote (%s, %s): the vote counts, and it runs once", async (what, moment) => {
  const { town, killAt } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");

  await killAt(what, moment, () => town.approver.clicks("Approve"));

  expect(count(town, "restartService")).toBe(1);
  expect(card(town.developer)).toMatch(/Alex Kim/u);
  expect(buttons(town)).toEqual([]);
});

test.each([
  ["cancel", "before"],
  ["cancel", "after"],
] as const)("killed while it was taken back (%s, %s): it is cancelled, and the card says so", async (what, moment) => {
  const { town, killAt } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");

  await killAt(what, moment, () => town.developer.clicks("Cancel request"));

  expect(card(town.developer)).toMatch(/cancelled/iu);
  expect(buttons(town)).toEqual([]);
  expect(count(town, "restartService")).toBe(0);
});
