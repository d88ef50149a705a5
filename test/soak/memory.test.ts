import { expect, test } from "vitest";
import { growthOf, type Sample } from "./memory.ts";
import { isLeak } from "./report.ts";

const MINUTES = 5;
const END_MS = MINUTES * 60_000;

/** One sample every five seconds of a soak. */
function samples(mbAt: (minute: number, index: number) => number): readonly Sample[] {
  return Array.from({ length: MINUTES * 12 }, (_, index) => ({ atMs: index * 5_000, mb: mbAt(index / 12, index) }));
}

const found = (mbAt: (minute: number, index: number) => number): boolean | undefined => {
  const growth = growthOf(samples(mbAt), 0, END_MS);
  return growth && isLeak(growth);
};

test("a leak is found, also among the ups and downs of a busy machine", () => {
  expect(found((minute) => 60 + 3.5 * minute)).toBe(true);
  expect(found((minute, index) => 60 + 4 * minute + (index % 4))).toBe(true);
  expect(found((minute, index) => 60 + 11 * minute + (index % 7) * 20)).toBe(true);
});

test("what grows at the start and then stays, and what only goes up and down, is no leak", () => {
  expect(found((minute) => 40 + 12 * Math.min(minute, 1.5))).toBe(false);
  expect(found((_, index) => 60 + (index % 9) * 3)).toBe(false);
  expect(found((minute) => 60 + 2.5 * minute)).toBe(false);
});

test("a few samples that happen to rise are no leak, and too few say nothing", () => {
  const few = [62, 60, 66, 63, 71].map((mb, index) => ({ atMs: 120_000 + index * 40_000, mb }));

  const growth = growthOf(few, 0, END_MS);

  expect(growth?.mbPerMinute).toBeGreaterThan(2);
  expect(growth && isLeak(growth)).toBe(false);
  expect(growthOf(few.slice(0, 3), 0, END_MS)).toBeUndefined();
});
