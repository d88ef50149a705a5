import { setTimeout as sleep } from "node:timers/promises";
import { createLanes, type Job, type LanesParts } from "../../src/bot/workflow/inbox/lanes.ts";

const drain = { graceMs: 30, goodbyeMs: 30 };
export const quiet = { quietMs: 1_000, isFlood: false };

type Weather = { quietMs: number; isFlood: boolean };

/** Lanes whose arrivals are given by the test, and jobs that run until they are released. */
export function lanesIn(weather: Weather = quiet, more: Partial<LanesParts> = {}) {
  const errors: unknown[] = [];
  const lanes = createLanes({
    drain,
    onError: (error) => void errors.push(error),
    nowMs: () => 0,
    arrivals: { count: () => undefined, quietMs: () => weather.quietMs, isFlood: () => weather.isFlood },
    ...more,
  });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const hold = (job: Job, ...labels: readonly string[]): boolean[] =>
    labels.map((label) =>
      lanes.add(job, async () => {
        begun.push(label);
        await released;
      }),
    );
  return { ...lanes, errors, begun, hold, release };
}

export function labels(count: number, prefix = ""): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

/** Long enough for several turns of the scheduler. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await sleep(3);
}
