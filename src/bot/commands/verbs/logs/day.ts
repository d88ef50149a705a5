import { daysBefore, logDate, parseLogDate } from "../../../../api/log-pages.ts";
import { UserError } from "../../../errors.ts";

/**
 * Turns a typed day into a day of the log, `2026.11.20`. Pure. `today` and `yesterday` are in the zone in which the
 * workload API counts the days of its log. Throws a `UserError` for invalid and for future days.
 */
export function logDay(typed: string, zone: string, now: Date): string {
  const today = logDate(now, zone);
  const word = typed.toLowerCase();
  if (word === "today") return today;
  if (word === "yesterday") return daysBefore(today, 1);
  const day = parseLogDate(typed);
  if (day === undefined) {
    throw new UserError(`I don't know the day “${typed}”.`, { next: "Use `2026-11-20`, `today` or `yesterday`." });
  }
  if (day > today) {
    throw new UserError(
      `${isoDay(day)} is in the future. In ${zone}, the zone of the logs, today is ${isoDay(today)}.`,
      {
        next: "Choose today or an earlier day.",
      },
    );
  }
  return day;
}

/** `2026-11-20`, as people write it. */
export function isoDay(date: string): string {
  return date.replaceAll(".", "-");
}
