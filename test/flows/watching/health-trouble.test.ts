import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Store } from "../../../src/bot/store/store.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { rolloutTown, type RolloutTown } from "../../support/rollout-town.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

/** The first look comes two seconds after a write; the pauses of a read-back are shorter. */
const FIRST_POLL_MS = 2_000;

/** A world whose bot looks at a workload again once the service has noticed that it fails. */
async function townThatLooksLate(): Promise<World> {
  const town: World = await world({
    policy: openPolicy,
    async wait(ms) {
      if (ms < FIRST_POLL_MS) await turn();
      else await town.until(async () => ((await town.service("broken")).restarts?.count ?? 0) > 3);
    },
  });
  return town;
}

test("a service that crashes is told of on its card, with the last errors of its log", async () => {
  await using town = await townThatLooksLate();

  await says(town, town.developer, "/gantry create service broken --image gantry/flaky -- --after 20");

  const shown = card(town.developer);
  expect(shown).toMatch(/^🔴 broken created, but keeps crashing$/mu);
  expect(shown).toMatch(/exit 1, \d+ restarts in \d+ (?:s|min) · requested by/iu);
  const [head, ...replies] = town.thread("ops");
  expect(head).toBe(shown);
  expect(shown).toMatch(/Last errors\n```\nlost the connection to the database(?: \(×\d+\))?\n/u);
  expect(replies).toEqual([expect.stringMatching(/^🔴 broken keeps crashing · .* · @dana$/u)]);
  const [event] = await town.store().history({ teamId: "T0PLAYGR", limit: 1 });
  expect(event).toMatchObject({ kind: "health", workload: { name: "broken" } });
  expect(event?.result).not.toContain("database");
});

/** From now on Slack takes one message for the thread each time that its card is drawn. */
function oneReplyAtATime(town: () => RolloutTown) {
  const replies = (): number => town().playground.messages("ops")[0]?.replies.length ?? 0;
  let before = 0;
  return (real: Store): Store => ({
    ...real,
    savePost(...call) {
      if (replies() > before) town().playground.faults.answer("chat.postMessage", "429", 1);
      return real.savePost(...call);
    },
    delayDue(...call) {
      before = replies();
      return real.delayDue(...call);
    },
  });
}

test("in a busy channel the replies come one after the other, each of them once", async () => {
  const store = oneReplyAtATime(() => town);
  await using town: RolloutTown = await rolloutTown(["web"], { store });
  await says(town, town.developer, "/gantry deploy web 1.5");
  await town.later(3);

  town.isStuck("web", "there is no image shop/web:1.5");
  await town.later(4);
  town.isWell("web");
  town.playground.faults.answer("chat.postMessage", "429", 1);
  for (let tries = 0; tries < 12; tries += 1) await town.later(10);

  expect(town.thread("ops").slice(1)).toEqual([
    expect.stringContaining("its new instances can't pull their images"),
    expect.stringMatching(/^🟢 web stays on :1\.4/u),
  ]);
  expect((await town.store().takeDue({ kind: "post", leaseMs: 1, most: 1 })).length).toBe(0);
});

test("of a rollout that the old instances carry, only its card tells, here and elsewhere; somebody else's is an incident", async () => {
  await using town = await rolloutTown(["web", "worker"]);
  const alerts = (): readonly string[] =>
    ["ops", "@gantry"].flatMap((place) =>
      town.developer
        .sees(place)
        .filter(({ threadTs, ts }) => threadTs === undefined || threadTs === ts)
        .flatMap(({ text }) => (/^🔴 \w+: its new instances/u.test(text) ? [text] : [])),
    );
  for (const where of ["", "--dm"]) await says(town, town.developer, `/gantry watch all --after 0s ${where}`);
  await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");
  await town.later(3);

  town.isStuck("web", "exit code 2");
  for (let looks = 0; looks < 4; looks += 1) await town.later(30);
  expect(alerts()).toEqual([]);

  town.othersDeploy("worker", "shop/worker:9");
  town.isStuck("worker", "exit code 2");
  for (let looks = 0; looks < 2; looks += 1) await town.later(30);
  const told = expect.stringMatching(/^🔴 worker: its new instances don't get ready/u);
  expect(alerts()).toEqual([told, told]);
});
