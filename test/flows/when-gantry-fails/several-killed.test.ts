import { expect, test } from "vitest";
import { createsServices } from "../../support/shop-town.ts";
import { buttons, killTown } from "../../support/kill-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, says } from "../../support/speak.ts";
import { onlyInFullRuns } from "../../support/full-run.ts";

// `npm run test:kill` kills the bot at more moments; restart-at-every-state.test.ts does so in each run.
onlyInFullRuns();

/** A town with web, shop-a and shop-b, whose bot can be killed, and the names of what was restarted, in order. */
async function shopsToKill() {
  const kill = await killTown({ policy: openPolicy });
  await createsServices(kill.town, ["shop-a", "shop-b"]);
  const restarts = (): number => kill.town.calls().filter((op) => op === "restartService").length;
  return { ...kill, restarts };
}

const ask = "/gantry restart web shop-a shop-b";

test.each([
  ["before the request was claimed", "claim", "before"],
  ["before the first was about to be claimed", "claim", "after"],
  ["between two of them", "succeed", "after"],
  ["after it was stored and before anybody knew", "insertChange", "after"],
] as const)("killed %s: each is restarted once", async (_title, what, moment) => {
  const { town, killAt, restarts } = await shopsToKill();
  await using _town = town;

  await killAt(what, moment, () => town.developer.says(ask));

  expect(restarts()).toBe(3);
  expect(town.developer.sees("ops").filter(({ text }) => text.includes("✅ 3 of 3 restarted"))).toHaveLength(1);
  expect(buttons(town)).toEqual([]);
  expect(await says(town, town.developer, "/gantry pending")).toMatch(/nothing/iu);
});

test("killed after one was sent and before its answer: it isn't sent again, and the others aren't run", async () => {
  const { town, killAt, restarts } = await shopsToKill();
  await using _town = town;

  await killAt("restartService", "after", () => town.developer.says(ask));

  expect(restarts()).toBe(1);
  expect(card(town.developer)).toMatch(
    /❓ 0 of 3 restarted: can't tell about web\n❓ web .+\n▫️ shop-a · not run\n▫️ shop-b · not run/u,
  );
});

test("killed after the last one: nothing is sent again, and the card tells how they run", async () => {
  const { town, killAt, restarts } = await shopsToKill();
  await using _town = town;

  await killAt("observe", "before", async () => {
    await town.developer.says(ask);
    await town.until(() => card(town.developer).includes("3 of 3 restarted"));
  });
  // The killed bot may have been drawing.
  town.passMinutes(1);
  await town.sweep();

  expect(restarts()).toBe(3);
  expect(card(town.developer)).toMatch(
    /✅ 3 of 3 restarted\n[🟢🟡] web · [\w ]+\n[🟢🟡] shop-a · [\w ]+\n[🟢🟡] shop-b · [\w ]+/u,
  );
});

test("stopped in order between two of them: another bot goes on where this one stopped", async () => {
  const { town, stalls, restarts } = await shopsToKill();
  await using _town = town;
  stalls.at("succeed", "after");
  await town.developer.says(ask);
  await town.until(stalls.isReached);
  stalls.clear();

  await town.restartBot();
  await town.sweep();

  expect(restarts()).toBe(3);
  expect(card(town.developer)).toContain("✅ 3 of 3 restarted");
});
