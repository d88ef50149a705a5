const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "44s", "2m", "3h", "5d". */
export function shortSpan(ms: number): string {
  const size = Math.max(0, ms);
  if (size < MINUTE) return `${Math.floor(size / SECOND)}s`;
  if (size < HOUR) return `${Math.floor(size / MINUTE)}m`;
  return size < DAY ? `${Math.floor(size / HOUR)}h` : `${Math.floor(size / DAY)}d`;
}

/** The age of an ISO 8601 time. */
export function ageOf(time: string, now: Date): string {
  return shortSpan(now.getTime() - Date.parse(time));
}

/** "3m ahead of", "44s behind". */
export function apart(aheadMs: number): string {
  return `${shortSpan(Math.abs(aheadMs))} ${aheadMs < 0 ? "behind" : "ahead of"}`;
}

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
