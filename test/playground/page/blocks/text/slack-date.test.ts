import { describe, expect, test } from "vitest";
import { formatSlackDate } from "../../../../../src/playground/page/app/format-time.ts";

const now = Date.UTC(2026, 10, 20, 12);
const at = (...parts: readonly [number, number, number, number?, number?]): number =>
  Date.UTC(parts[0], parts[1] - 1, parts[2], parts[3] ?? 9, parts[4] ?? 5) / 1000;

function write(seconds: number, format: string, timeZone = "UTC"): string | undefined {
  // Intl puts a narrow no-break space before AM and PM.
  return formatSlackDate({ seconds, format, now, timeZone })?.replaceAll("\u202f", " ");
}

describe("dates are written as Slack writes them", () => {
  test.each([
    ["{date_short_pretty}", at(2014, 2, 18), "Feb 18, 2014"],
    ["{date_short_pretty}", at(2026, 12, 1), "Dec 1"],
    ["{date_short_pretty}", at(2026, 11, 20), "Today"],
    ["{date_short_pretty} at {time}", at(2026, 11, 19), "Yesterday at 9:05 AM"],
    ["by {date_short_pretty}", at(2026, 11, 21), "by tomorrow"],
    ["{time}", at(2026, 11, 20, 18, 39), "6:39 PM"],
    ["{ago}", at(2026, 11, 20, 11, 57), "3 minutes ago"],
    ["{ago}", at(2026, 11, 20, 13), "In 1 hour"],
    ["{ago}", at(2026, 11, 18, 11), "2 days ago"],
    ["no token", at(2026, 11, 22), "no token"],
  ])("%s of %d is %s", (format, seconds, expected) => {
    expect(write(seconds, format)).toBe(expected);
  });

  test.each([
    [4 * 3600 - 1, "In 4 hours"],
    [3.75 * 3600, "In 4 hours"],
    [3.5 * 3600 - 60, "In 3 hours"],
    [3600 - 1, "In 1 hour"],
    [86_400 - 1, "In 1 day"],
    [90, "In 2 minutes"],
    [59, "In 59 seconds"],
    [-4 * 3600 + 1, "3 hours ago"],
  ])("%d seconds from now are %s: what is to come is rounded, what is over is not", (seconds, expected) => {
    expect(write(now / 1000 + seconds, "{ago}")).toBe(expected);
  });

  test("today is the reader's own day", () => {
    expect(write(at(2026, 11, 21, 2), "{date_short_pretty}", "America/New_York")).toBe("Today");
  });

  test.each([
    ["{date_num}", 1],
    ["{constructor}", 1],
    ["{time}", 1e20],
  ])("%s of %d is for the fallback", (format, seconds) => {
    expect(write(seconds, format)).toBeUndefined();
  });
});
