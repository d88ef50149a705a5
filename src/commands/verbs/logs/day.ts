import { daysBefore, logDate, parseLogDate } from "../../../api/log-pages.ts";
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
    throw new UserError(`“${typed}” is not a day.`, { next: "Write 2026.11.20, 2026-11-20, today or yesterday." });
  }
  if (day > today) {
    throw new UserError(`${day} is still to come: today is ${today} in ${zone}, the zone of the log.`, {
      next: "Choose today or an earlier day.",
    });
  }
  return day;
}
