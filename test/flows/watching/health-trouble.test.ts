import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

/** The first look comes two seconds after a write; the pauses of a read-back are shorter. */
const FIRST_LOOK_MS = 2_000;

/** A world whose bot looks at a workload again once the service has noticed that it fails. */
async function townThatLooksLate(): Promise<World> {
  const town: World = await world({
    policy: openPolicy,
    async wait(ms) {
      if (ms < FIRST_LOOK_MS) await turn();
      else await town.until(async () => ((await town.service("broken")).restarts?.count ?? 0) > 3);
    },
  });
  return town;
}

test("a service that crashes is told of on its card, with its last lines in the card's thread", async () => {
  await using town = await townThatLooksLate();

  await says(town, town.developer, "/gantry create service broken --image gantry/flaky -- --after 20");

  const shown = card(town.developer);
  expect(shown).toMatch(/^🔴 broken created, but keeps restarting$/mu);
  expect(shown).toMatch(/exit 1, \d+ restarts in \d+ (?:s|min) · requested by/iu);
  const [head, ...replies] = town.thread("ops");
  expect(head).toBe(shown);
  expect(replies.join("\n")).toContain("lost the connection to the database");
  const [event] = await town.store().history({ teamId: "T0PLAYGR", limit: 1 });
  expect(event).toMatchObject({ kind: "health", workload: { name: "broken" } });
  expect(event?.result).not.toContain("database");
});
