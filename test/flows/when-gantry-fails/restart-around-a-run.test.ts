import { expect, test } from "vitest";
import { count } from "../../support/approval-town.ts";
import { buttons, killTown } from "../../support/kill-town.ts";
import { card, clicks, says } from "../../support/speak.ts";
import { onlyInFullRuns } from "../../support/full-run.ts";
import type { World } from "../../support/world.ts";

// `npm run test:kill` kills the bot at more moments; restart-at-every-state.test.ts does so in each run.
onlyInFullRuns();

/** The killed bot may have been drawing the card; its right to do so ends within a minute. */
async function whenDrawingIsFree(town: World): Promise<void> {
  town.passMinutes(1);
  await town.sweep();
}

test("killed between the approval and the claim: the next bot runs it, once", async () => {
  const { town, killAt } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");

  await killAt("claim", "before", () => town.approver.clicks("Approve"));

  expect(count(town, "restartService")).toBe(1);
  expect(card(town.developer)).toMatch(/✅ web restarted/u);
  expect(buttons(town)).toEqual([]);
});

test("approved, and no bot for a quarter of an hour: it expires, and nothing is sent", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");
  stalls.at("claim", "before");
  await town.approver.clicks("Approve");
  await town.until(stalls.isReached);
  stalls.clear();

  town.passMinutes(15);
  await town.crashBot();
  await town.settled();

  expect(count(town, "restartService")).toBe(0);
  expect(card(town.developer)).toMatch(/expired/iu);
  expect(buttons(town)).toEqual([]);
});

const tookEffect = /^(?:✅|🟡) web scaled to 3.*instances 2 → 3/isu;
const didNot = /❌ web wasn't .*It didn't take effect/su;

test.each([
  ["after the claim, before the request left", "claim", "after", { sent: 0, size: 2, told: didNot }],
  ["while the request was under way and the service did it", "updateService", "after", { told: tookEffect }],
  ["while the request was under way and never arrived", "updateService", "before", { size: 2, told: didNot }],
  ["while an unknown one was being read back", "doubt", "after", { told: tookEffect }],
  ["before it was noted how it ended", "succeed", "before", { told: tookEffect }],
] as const)("killed %s: it is read back, and not sent again", async (_title, what, moment, { told, ...ends }) => {
  const { town, stalls, killAt } = await killTown();
  await using _town = town;
  if (what === "doubt") stalls.breakOnce("updateService");

  await killAt(what, moment, () => town.developer.says("/gantry scale web 3"));

  const size = (await town.service("web")).target_instance_size;
  expect({ sent: count(town, "updateService"), size }).toEqual({ sent: 1, size: 3, ...ends });
  expect(card(town.developer)).toMatch(told);
});

test("killed during a restart, which leaves no trace: it says that it cannot tell, and offers to ask anew", async () => {
  const { town, killAt } = await killTown();
  await using _town = town;
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");

  await killAt("restartService", "after", () => approver.clicks("Approve"));
  await whenDrawingIsFree(town);

  expect(count(town, "restartService")).toBe(1);
  expect(card(developer)).toMatch(/Can't tell/u);
  expect(buttons(town)).toEqual([]);
  await clicks(town, developer, "Try again");
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(count(town, "restartService")).toBe(1);
});

test("killed after it was done and before that was drawn: the card is drawn anew", async () => {
  const { town, killAt } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");

  await killAt("succeed", "after", () => town.approver.clicks("Approve"));
  await whenDrawingIsFree(town);

  expect(count(town, "restartService")).toBe(1);
  expect(card(town.developer)).toMatch(/✅ web restarted.*running/isu);
  expect(buttons(town)).toEqual([]);
});

test("killed after what needs no approval was done and before its card was posted: it is posted when that right is over", async () => {
  const { town, killAt } = await killTown();
  await using _town = town;
  await killAt("succeed", "after", () => town.developer.says("/gantry scale web 3"));

  town.passMinutes(1);
  await town.crashBot();
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect(card(town.developer)).toMatch(/✅ web scaled to 3.*running.*instances 2 → 3/isu);
});

test("stopped in order while the service stalls: who asked is told at once, and the next bot tells how it ended", async () => {
  const { town, stalls } = await killTown({ goodbyeMs: 5_000 });
  await using _town = town;
  stalls.at("updateService", "after");
  await town.developer.says("/gantry scale web 3");
  await town.until(stalls.isReached);
  stalls.clear();

  await town.stopBot();
  expect(card(town.developer)).toMatch(/Checking whether/u);
  await town.restartBot();
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect(card(town.developer)).toMatch(tookEffect);
});

test("what is clicked while no bot runs is not lost silently: Slack says so, and the next click counts", async () => {
  const { town } = await killTown();
  await using _town = town;
  await says(town, town.developer, "/gantry restart web");
  await town.stopBot();

  const lost = await town.approver.clicks("Approve");
  await town.restartBot();
  await clicks(town, town.approver, "Approve");

  expect(lost.acked).toBe(false);
  expect(count(town, "restartService")).toBe(1);
});
