import { expect, test } from "vitest";
import { createArrivals } from "../../src/slack/arrivals.ts";

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

test.each([
  ["nothing yet", [], 10, { isFlood: false, quietMs: Number.POSITIVE_INFINITY }],
  ["one command", [0], 10, { isFlood: false, quietMs: 10 }],
  ["three people at once", [0, 0, 1], 5, { isFlood: false, quietMs: 4 }],
  ["four at once", [0, 0, 1, 1], 5, { isFlood: true, quietMs: 4 }],
  ["four over two windows", [10, 40, 70, 90], 95, { isFlood: true, quietMs: 5 }],
  ["four, and then a pause", [0, 0, 1, 1], 101, { isFlood: false, quietMs: 100 }],
  ["one every 60 ms", [0, 60, 120, 180, 240], 241, { isFlood: false, quietMs: 1 }],
  ["one every 3 ms", [0, 3, 6, 9, 12, 15], 16, { isFlood: true, quietMs: 1 }],
])("%s", (...[, times, lookAt, expected]) => {
  expect(after(times, lookAt)).toEqual(expected);
});
