import { NotServed } from "./not-served.ts";

/**
 * Normalizes a day: `2026.11.5` becomes `2026.11.05`. Throws a `NotServed` 400 for invalid days and for days after today
 * in UTC, which can't have a log yet.
 */
export function logDate(text: string, now: Date): string {
  const [year = NaN, month = NaN, day = NaN] = text.split(".").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  // Date.UTC reads years below 100 as 19xx. They are refused like days that roll over, such as 2026.02.30.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new NotServed(400, `date ${text} doesn't exist`);
  }
  if (date.getTime() > now.getTime()) {
    throw new NotServed(400, `date ${text} is in the future: today is ${dotted(now)} in UTC`);
  }
  return dotted(date);
}

function dotted(date: Date): string {
  return date.toISOString().slice(0, 10).replaceAll("-", ".");
}
