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
  ["thirty people at once", each(0, 30), 5, { isFlood: false, quietMs: 5 }],
  ["one more", each(0, 31), 5, { isFlood: true, quietMs: 5 }],
  ["as many over two windows", each(3, 31), 91, { isFlood: true, quietMs: 1 }],
  ["a flood, and then a pause", each(0, 100), 101, { isFlood: false, quietMs: 101 }],
  ["one every 4 ms, for long", each(4, 250), 997, { isFlood: false, quietMs: 1 }],
  ["one every ms, for long", each(1, 1_000), 1_000, { isFlood: true, quietMs: 1 }],
])("%s", (...[, times, lookAt, expected]) => {
  expect(after(times, lookAt)).toEqual(expected);
});
