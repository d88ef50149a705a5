import { setImmediate as nextTurn } from "node:timers/promises";
import { createLanes, type Job, type LanesParts } from "../../src/bot/workflow/inbox/lanes.ts";
import { stillClock } from "./test-clock.ts";

const drain = { graceMs: 30, goodbyeMs: 30 };

/** Lanes whose clock stands still until it is moved, and jobs that run until they are released. */
export function lanesIn(more: Partial<LanesParts> = {}) {
  const errors: unknown[] = [];
  const clock = stillClock();
  const lanes = createLanes({ drain, onError: (error) => void errors.push(error), clock, ...more });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const hold = (job: Job, ...labels: readonly string[]): boolean[] =>
    labels.map((label) =>
      lanes.add(job, async () => {
        begun.push(label);
        await released;
      }),
    );
  return {
    ...lanes,
    clock,
    errors,
    begun,
    hold,
    release,
    /** So many interactions come in now. */
    arrive: (count: number): void => {
      for (let at = 0; at < count; at += 1) lanes.arrived();
    },
    /** Time passes in which so many interactions come in each millisecond. */
    comeIn: async (eachMs: number, forMs: number): Promise<void> => {
      for (let ms = 0; ms < forMs; ms += 1) {
        await clock.passMs(1);
        for (let at = 0; at < eachMs; at += 1) lanes.arrived();
      }
      await turns();
    },
  };
}

export function labels(count: number, prefix = ""): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

/** Enough for what the scheduler does without a pause. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}
