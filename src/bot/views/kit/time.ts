const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration in its largest fitting unit: "42 s", "5 min", "3 h", "12 d". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** Whether `2026-11-20` is a day that exists: Date.parse would take February 30 for March 2. */
export function isCalendarDay(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(day)) return false;
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** How long ago an ISO 8601 time was, or how long it has lasted since. Undefined when invalid, "0s" in the future (clocks differ). */
export function age(moment: string | undefined, now: Date): string | undefined {
  const ms = Date.parse(moment ?? "");
  return Number.isNaN(ms) ? undefined : shortSpan(now.getTime() - ms);
}

/** An age of so many milliseconds: "44s", "2m", "3h", "5d". A duration that is over has `span`. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < MINUTE) return `${seconds}s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  return seconds < DAY ? `${Math.floor(seconds / HOUR)}h` : `${Math.floor(seconds / DAY)}d`;
}

/** Undefined when a time is missing or they are in the wrong order. */
export function between(start: string | undefined, end: string | undefined): string | undefined {
  const ms = Date.parse(end ?? "") - Date.parse(start ?? "");
  return Number.isNaN(ms) || ms < 0 ? undefined : span(ms);
}
