import { expect, test } from "vitest";
import { operationTable } from "../../../src/api/operations.ts";
import { count } from "../../support/approval-town.ts";
import { requested } from "../../support/requested.ts";
import { killTown } from "../../support/kill-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** As many of one person's requests run at once. */
const RUNS_OF_ONE = 32;

const nobodyScales = `
rules:
  - { name: nobody scales, who: [members], does: [updateService], then: refuse }
  - { name: all else, who: [members], does: [read, routine, disruptive, destructive], then: allow }
`;

test("a request that waited for its turn is checked against the current policy", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const names = Array.from({ length: RUNS_OF_ONE }, (_, at) => `shop-${at}`);
  let renewals = 0;
  await using town = await shopTown(names, {
    policy: openPolicy,
    store: (real) => ({
      ...real,
      async renewDue(...leases) {
        await real.renewDue(...leases);
        renewals += 1;
      },
    }),
    async via(request, send) {
      if (request.method === "PUT") await held;
      return send(request);
    },
  });
  const { developer } = town;
  await Promise.all(names.map((name) => developer.says(`/gantry scale ${name} 2`)));
  await town.until(() => count(town, "updateService") === RUNS_OF_ONE);
  await developer.says("/gantry scale web 3");
  await town.until(async () => (await requested(town)).length === RUNS_OF_ONE + 1);
  // Written after all of that, so the bot knows by now that the request is stored.
  await town.store().beat();

  town.setPolicy(nobodyScales);
  // Longer than what was read stays fresh, and shorter than a lease.
  town.passMinutes(12 / 60);
  // The sweep ends once all is done.
  const before = renewals;
  const swept = town.sweep();
  await town.until(() => renewals > before);
  release();
  await swept;
  const refused = () =>
    developer
      .sees("ops")
      .map(({ text }) => text)
      .filter((text) => text.startsWith("❌"));
  // On a busy machine Slack may not say in time who asked, and it is tried again.
  await town.until(async () => {
    await town.settled();
    if (refused().length === 0) await town.sweep();
    return refused().length > 0;
  });

  expect(count(town, "updateService")).toBe(RUNS_OF_ONE);
  expect(refused()).toEqual([expect.stringMatching(/web wasn't scaled/u)]);
});

/** A request for web and shop-a whose turn at shop-a comes that late, while another change of shop-a is under way. */
async function turnAfter(minutes: number) {
  const { promise: scaling, resolve: endScaling } = Promise.withResolvers<void>();
  const { promise: restarting, resolve: endRestarting } = Promise.withResolvers<void>();
  const ending = new Set<string | undefined>();
  const postponed = new Set<string>();
  const town = await shopTown(["shop-a"], {
    policy: openPolicy,
    // Their ends are held, not the calls, which would be given up on after a minute.
    store: (real) => ({
      ...real,
      async advance(id, wanted, event) {
        if (wanted.name === "succeed") {
          ending.add(event?.verb);
          await (event?.verb === "scale" ? scaling : restarting);
        }
        return real.advance(id, wanted, event);
      },
      async delayDue(due, next) {
        const isOurs = await real.delayDue(due, next);
        postponed.add(due.key);
        return isOurs;
      },
    }),
  });
  await town.developer.says("/gantry scale shop-a 2");
  await town.until(() => ending.has("scale"));
  await town.developer.says("/gantry restart web shop-a");
  await town.until(() => ending.has("restart"));
  const [, both = ""] = await requested(town);
  // Slack may have taken a card whose post is under way when the time passes: another one would come.
  await town.until(async () => (await town.store().find({ id: both }))?.card !== undefined);
  town.passMinutes(minutes);
  endRestarting();
  return { town, both, endScaling, postponed };
}

/** The card of the request for both. */
function ofBoth({ developer }: World): string {
  return developer.sees("ops").find(({ text }) => /Restarting|restarted/u.test(text))?.text ?? "";
}

test("a workload of a larger request waits for another change of it, and goes on once that is over", async () => {
  const { town, both, endScaling } = await turnAfter(9);
  await using _town = town;
  await town.until(async () => (await town.store().find({ id: both }))?.parts?.[0]?.state === "done");
  await town.until(() => /Restarting/u.test(ofBoth(town)));
  endScaling();
  await town.until(async () => {
    await town.sweep();
    return ofBoth(town).includes("2 of 2 restarted");
  });

  expect(count(town, "restartService")).toBe(2);
});

test("… and expires ten minutes after its turn came", async () => {
  const { town, both, endScaling, postponed } = await turnAfter(11);
  await using _town = town;
  const second = async () => (await town.store().find({ id: both }))?.parts?.[1];
  await town.until(async () => postponed.has((await second())?.id ?? ""));
  town.passMinutes(11);
  // It ends once the scaling does.
  const swept = town.sweep();
  await town.until(async () => (await second())?.state === "expired");
  endScaling();
  await swept;
  // On a busy machine the card was just drawn, and is drawn again a moment later.
  await town.until(async () => {
    await town.sweep();
    return /❌ 1 of 2 restarted: shop-a wasn't run[\s\S]*shop-a · couldn't start in time/u.test(ofBoth(town));
  });

  expect(count(town, "restartService")).toBe(1);
});

test("a replica that takes over a request counts the time in which it may still have been sent", async () => {
  const waits: number[] = [];
  const { town, killAt } = await killTown({
    wait: async (ms) => {
      waits.push(ms);
    },
  });
  await using _town = town;

  await killAt("claim", "after", () => town.developer.says("/gantry scale web 3"));

  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  expect(card(town.developer)).toMatch(/❌ web wasn't .*It didn't take effect/su);
  expect(waited).toBeGreaterThan(operationTable.updateService.timeoutMs + town.store().sendWithinMs);
});

const glass = `
rules:
  - { name: on call may break the glass, who: [members], does: [restartService], then: break-glass }
  - { name: others look, who: [members], does: [read], then: allow }
  - { name: others ask, who: [members], does: [routine, disruptive, destructive], then: { approve: { votes: 1, from: [channel-members] } } }
`;

test("“Request again” after a request with broken glass asks for approval like any other", async () => {
  const { town, killAt } = await killTown({ policy: glass });
  await using _town = town;
  const { developer } = town;
  await killAt("restartService", "after", () =>
    developer.says('/gantry restart web --break-glass --reason "orders fail"'),
  );
  expect(card(developer)).toMatch(/Can't tell/u);

  await clicks(town, developer, "Try again");

  expect(card(developer)).toMatch(/0 of 1/u);
  expect(count(town, "restartService")).toBe(1);
});

test("an old button doesn't repeat a request that is still being read back", async () => {
  const { town, stalls } = await killTown({ policy: openPolicy });
  await using _town = town;
  const { developer, playground } = town;
  stalls.breakOnce("updateService");
  stalls.at("succeed", "before");
  await developer.says("/gantry scale web 3");
  await town.until(() => stalls.isReached() && card(developer) !== "");
  const { ts = "" } = developer.sees("ops").find(({ text }) => text === card(developer)) ?? {};

  await playground.deliver({
    type: "block_actions",
    trigger_id: "1.1",
    user: { id: "U0DANA" },
    team: { id: "T0GANTRY" },
    channel: { id: "C0OPS" },
    container: { type: "message", message_ts: ts, channel_id: "C0OPS" },
    message: { ts },
    response_url: "http://127.0.0.1:9/gone",
    actions: [
      { type: "button", action_id: "change:again", block_id: "b", action_ts: "1.1", value: idOf(card(developer)) },
    ],
  });
  await town.until(() => whispers(developer).length > 0 || count(town, "updateService") > 1);
  stalls.clear();

  expect(whispers(developer).join()).toMatch(/Couldn't repeat request/u);
  expect(count(town, "updateService")).toBe(1);
});
