import { expect, test } from "vitest";
import { redactLines } from "../../../src/bot/logs/redact.ts";

/** Milliseconds of this thread, so other work on the machine doesn't count. */
function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const MOST = 2.2;
/** A neighbour on the processor, or a collection of garbage, can fall on one half of a comparison. */
const TRIES = 5;

test("twice as many lines cost at most 2.2 times as much", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `GET /orders/${at} 200 user=dana in 12 ms`);
  const [some, twice] = [lines(30_000), lines(60_000)];
  const quickest = (each: readonly string[]) =>
    Math.min(...Array.from({ length: 3 }, () => cpuMs(() => void redactLines(each))));
  let best = Number.POSITIVE_INFINITY;
  for (let left = TRIES; left > 0 && best > MOST; left -= 1) best = Math.min(best, quickest(twice) / quickest(some));

  expect(best).toBeLessThanOrEqual(MOST);
});
