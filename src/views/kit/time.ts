const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its largest fitting unit, down to seconds: "42 s", "5 min", "3 h", "12 d". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** How long ago an ISO 8601 moment was; undefined for what is none. A service whose clock is ahead made it just now. */
export function age(moment: string | undefined, now: Date): string | undefined {
  const ms = Date.parse(moment ?? "");
  return Number.isNaN(ms) ? undefined : span(now.getTime() - ms);
}

/** The time between two moments; undefined where one is missing. */
export function between(start: string | undefined, end: string | undefined): string | undefined {
  const ms = Date.parse(end ?? "") - Date.parse(start ?? "");
  return Number.isNaN(ms) || ms < 0 ? undefined : span(ms);
}
