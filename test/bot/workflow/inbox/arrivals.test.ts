import { expect, test } from "vitest";
import { createArrivals } from "../../../../src/bot/workflow/inbox/scheduler.ts";
import { stillClock } from "../../../support/test-clock.ts";

/** Counts an interaction at each of these milliseconds, then looks at the last given one. */
async function after(times: readonly number[], lookAt: number): Promise<{ isFlood: boolean; quietMs: number }> {
  const clock = stillClock();
  const { count, isFlood, quietMs } = createArrivals(clock);
  for (const time of times) {
    await clock.passMs(time - clock.elapsedMs());
    count();
  }
  await clock.passMs(lookAt - clock.elapsedMs());
  return { isFlood: isFlood(), quietMs: quietMs() };
}

const each = (ms: number, count: number): number[] => Array.from({ length: count }, (_, at) => at * ms);

test.each([
  ["nothing yet", [], 10, { isFlood: false, quietMs: Number.POSITIVE_INFINITY }],
  ["one command", [0], 10, { isFlood: false, quietMs: 10 }],
  ["sixty people at once", each(0, 60), 5, { isFlood: false, quietMs: 5 }],
  ["one more", each(0, 61), 5, { isFlood: true, quietMs: 5 }],
  ["as many over two windows", each(1.5, 61), 91, { isFlood: true, quietMs: 1 }],
  ["a flood, and then a pause", each(0, 100), 101, { isFlood: false, quietMs: 101 }],
  ["one every 2 ms, for long", each(2, 500), 999, { isFlood: false, quietMs: 1 }],
  ["five every 4 ms, for long", each(0.8, 1_250), 1_000.2, { isFlood: true, quietMs: 1 }],
])("%s", async (...[, times, lookAt, { isFlood, quietMs }]) => {
  expect(await after(times, lookAt)).toEqual({ isFlood, quietMs: expect.closeTo(quietMs) });
});
