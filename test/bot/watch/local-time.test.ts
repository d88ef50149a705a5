import { expect, test } from "vitest";
import { localTime, momentOf, nextDigest, previousDigest } from "../../../src/bot/watch/local-time.ts";

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Kiritimati"];

test.each(zones)("in %s, a time of a day is found again", (zone) => {
  for (const day of ["2026-01-15", "2026-03-29", "2026-07-15", "2026-10-25", "2026-11-01"]) {
    for (const time of ["00:00", "09:00", "12:30", "23:59"]) {
      expect(localTime(momentOf({ day, time }, zone), zone)).toEqual({ day, time });
    }
  }
});

test("a time that clocks skip in spring is an hour off, not a day", () => {
  const skipped = momentOf({ day: "2026-03-29", time: "02:30" }, "Europe/Berlin").getTime();

  expect(Math.abs(skipped - Date.parse("2026-03-29T01:00:00Z"))).toBeLessThanOrEqual(60 * 60_000);
});

test.each([
  // Thursday noon in Berlin.
  ["daily", "09:00", "2026-11-26T11:00:00Z", "2026-11-27T08:00:00.000Z"],
  ["daily", "18:00", "2026-11-26T11:00:00Z", "2026-11-26T17:00:00.000Z"],
  ["weekdays", "09:00", "2026-11-27T11:00:00Z", "2026-11-30T08:00:00.000Z"],
  ["mondays", "09:00", "2026-11-26T11:00:00Z", "2026-11-30T08:00:00.000Z"],
  ["mondays", "09:00", "2026-11-30T08:00:00Z", "2026-12-07T08:00:00.000Z"],
  // It stays nine o'clock when clocks change.
  ["daily", "09:00", "2026-10-24T12:00:00Z", "2026-10-25T08:00:00.000Z"],
  ["daily", "09:00", "2026-03-28T12:00:00Z", "2026-03-29T07:00:00.000Z"],
] as const)("a digest that comes %s at %s is next due after %s at %s", (days, at, after, due) => {
  expect(nextDigest({ days, at, zone: "Europe/Berlin" }, new Date(after)).toISOString()).toBe(due);
});

test.each([
  ["daily", "2026-11-26T08:00:00Z", "2026-11-25T08:00:00.000Z"],
  ["weekdays", "2026-11-30T08:00:00Z", "2026-11-27T08:00:00.000Z"],
  ["mondays", "2026-11-30T08:00:00Z", "2026-11-23T08:00:00.000Z"],
] as const)("a digest that comes %s and is due at %s tells what happened since %s", (days, due, since) => {
  const digest = { days, at: "09:00", zone: "Europe/Berlin" };

  expect(previousDigest(digest, new Date(due)).toISOString()).toBe(since);
});
