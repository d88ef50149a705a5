import * as fc from "fast-check";
import { expect, test } from "vitest";
import { daysBefore, firstRecord, logDate, logQuery, parseLogDate } from "../../src/api/log-pages.ts";

test.each([
  { mode: "offset", from: 0, size: 100, asked: { from: 0, size: 100 }, first: 0 },
  { mode: "offset", from: 150, size: 100, asked: { from: 150, size: 100 }, first: 150 },
  { mode: "page", from: 0, size: 100, asked: { from: 0, size: 100 }, first: 0 },
  { mode: "page", from: 200, size: 100, asked: { from: 2, size: 100 }, first: 200 },
  { mode: "page", from: 150, size: 100, asked: { from: 1, size: 100 }, first: 100 },
] as const)("counted by $mode, $size records after the newest $from", ({ asked, first, ...page }) => {
  expect(logQuery(page)).toEqual(asked);
  expect(firstRecord(page)).toBe(first);
});

test("a page always holds the record that was asked for", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 1000 }), (from, size) => {
      const first = firstRecord({ mode: "page", from, size });

      expect(first).toBe(logQuery({ mode: "page", from, size }).from * size);
      expect(from - first).toBeLessThan(size);
      expect(first).toBeLessThanOrEqual(from);
    }),
  );
});

test.each([
  ["2026-11-21T23:30:00Z", "UTC", "2026.11.21"],
  ["2026-11-21T23:30:00Z", "Asia/Shanghai", "2026.11.22"],
  ["2026-11-21T03:30:00Z", "America/New_York", "2026.11.20"],
  ["2026-01-02T00:00:00Z", "UTC", "2026.01.02"],
])("%s in %s is the day %s", (at, zone, day) => {
  expect(logDate(new Date(at), zone)).toBe(day);
});

test.each([
  ["2026.11.20", "2026.11.20"],
  ["2026-11-20", "2026.11.20"],
  ["2026/1/2", "2026.01.02"],
  [" 2026.11.20 ", "2026.11.20"],
  ["2024-02-29", "2024.02.29"],
  ["2026-02-29", undefined],
  ["2026-13-01", undefined],
  ["2026-00-10", undefined],
  ["26.11.20", undefined],
  ["20.11.2026", undefined],
  ["yesterday", undefined],
  ["", undefined],
])("%j is read as the day %j", (text, day) => {
  expect(parseLogDate(text)).toBe(day);
});

test("the day before is over months and years", () => {
  expect(daysBefore("2026.11.21", 1)).toBe("2026.11.20");
  expect(daysBefore("2026.01.01", 1)).toBe("2025.12.31");
  expect(daysBefore("2024.03.01", 1)).toBe("2024.02.29");
  expect(daysBefore("2026.11.21", 0)).toBe("2026.11.21");
});
