import { expect, test } from "vitest";
import { isZone, localTime, momentOf } from "../../src/platform/zones.ts";

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Pacific/Kiritimati"];

test.each(zones)("in %s, a time of a day is found again", (zone) => {
  for (const day of ["2026-01-15", "2026-03-29", "2026-07-15", "2026-10-25", "2026-11-01"]) {
    for (const time of ["00:00:00", "01:30:00", "09:00:00", "12:30:07", "23:59:59"]) {
      expect(localTime(momentOf({ day, time }, zone), zone)).toEqual({ day, time });
    }
  }
});

test("a time without seconds is the whole minute", () => {
  expect(momentOf({ day: "2026-11-26", time: "09:00" }, "Europe/Berlin").toISOString()).toBe(
    "2026-11-26T08:00:00.000Z",
  );
});

test("a time that clocks skip in spring is an hour off, not a day", () => {
  const skipped = momentOf({ day: "2026-03-29", time: "02:30" }, "Europe/Berlin").getTime();

  expect(Math.abs(skipped - Date.parse("2026-03-29T01:00:00Z"))).toBeLessThanOrEqual(60 * 60_000);
});

test.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["Mars/Olympus", false],
  ["", false],
])("%j is a zone: %s", (zone, isKnown) => {
  expect(isZone(zone)).toBe(isKnown);
});
