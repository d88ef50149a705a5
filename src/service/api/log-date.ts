import { NotServed } from "./not-served.ts";

/**
 * A day of the documented form (`2026.11.5`), as `2026.11.05`. Refuses days that no calendar has, and days after today:
 * there cannot be a log yet. Days are in UTC.
 */
export function logDate(text: string, now: Date): string {
  const [year = NaN, month = NaN, day = NaN] = text.split(".").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  // Years below 100 would be taken as 19xx; they are refused with the days that roll over, such as 2026.02.30.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new NotServed(400, `date is ${text}, a day that no calendar has`);
  }
  if (date.getTime() > now.getTime()) {
    throw new NotServed(400, `date is after today, ${dotted(now)} in UTC: there are no messages yet`);
  }
  return dotted(date);
}

function dotted(date: Date): string {
  return date.toISOString().slice(0, 10).replaceAll("-", ".");
}
