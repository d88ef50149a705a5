/** A message's ts ("1763712345.000100") in milliseconds since 1970. */
export function msOfTs(ts: string): number {
  return Number(ts) * 1000;
}

export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

export function fullTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}

/** With milliseconds, for the network log. */
export function exactTime(ms: number): string {
  const fraction = String(Math.floor(ms % 1000)).padStart(3, "0");
  return `${new Date(ms).toLocaleTimeString(undefined, { hour12: false })}.${fraction}`;
}

function dayNumber(ms: number): number {
  const date = new Date(ms);
  return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000);
}

/** "Today", "Yesterday", or the date. */
export function dayWords(ms: number, now: number): string {
  const days = dayNumber(now) - dayNumber(ms);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return new Date(ms).toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" });
}

export function isSameDay(one: number, other: number): boolean {
  return dayNumber(one) === dayNumber(other);
}
