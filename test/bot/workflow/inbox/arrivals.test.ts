import { expect, test } from "vitest";
import { createArrivals } from "../../../../src/bot/workflow/inbox/scheduler.ts";

/** Counts an interaction at each of these milliseconds, then looks at the last given one. */
function after(times: readonly number[], lookAt: number): { isFlood: boolean; quietMs: number } {
  let now = 0;
  const { count, isFlood, quietMs } = createArrivals(() => now);
  for (const time of times) {
    now = time;
    count();
  }
  now = lookAt;
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
])("%s", (...[, times, lookAt, expected]) => {
  expect(after(times, lookAt)).toEqual(expected);
});
