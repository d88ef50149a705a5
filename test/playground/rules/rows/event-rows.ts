import type { Row, Steps } from "./steps.ts";
import type { SmallWorld } from "../../support/small-world.ts";

/** Counts deliveries as if they had happened just now, and none before. */
function had(world: SmallWorld, failed: number, fine: number): void {
  world.playground.events.enable();
  world.playground.events.note(world.now(), false, failed);
  world.playground.events.note(world.now(), true, fine);
}

/** For each rule about deliveries to the bot: a step that keeps it and one that breaks it. */
export function eventRows(steps: Steps, closed: SmallWorld) {
  const { world, dana, searchIn } = steps;
  const mention = () => dana().says("hello @gantry");
  return {
    "event.failures": {
      error: "events_disabled",
      kept: async () => {
        had(world, 950, 50);
        await mention();
        had(world, 999, 0);
        await mention();
      },
      broken: async () => {
        had(world, 951, 49);
        await mention();
        world.playground.events.enable();
      },
    },
    "event.rate": {
      error: "app_rate_limited",
      kept: async () => {
        had(world, 0, 29_999);
        await mention();
      },
      broken: async () => {
        had(world, 0, 30_000);
        await mention();
        world.playground.events.enable();
      },
    },
    "options.address": {
      error: "no_options_url",
      kept: () => searchIn(world),
      broken: () => searchIn(closed),
    },
  } satisfies Record<string, Row>;
}
