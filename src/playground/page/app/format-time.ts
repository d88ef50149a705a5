// One clock on the whole page: Slack's in English, which its date tokens use too ("9:41 AM").
const locale = "en-US";

/** A message's ts ("1763712345.000100") in milliseconds since 1970. */
export function msOfTs(ts: string): number {
  return Number(ts) * 1000;
}

/** "9:41 AM" */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString(locale, { hour: "numeric", minute: "2-digit" });
}

/** "9:41", beside messages that repeat neither name nor picture. */
export function shortTime(ms: number): string {
  return timeOfDay(ms).replace(/\s[AP]M$/u, "");
}

export function fullTime(ms: number): string {
  return new Date(ms).toLocaleString(locale, { dateStyle: "full", timeStyle: "medium" });
}

/** With milliseconds, for the Inspector: "9:41:03.120 AM" */
export function exactTime(ms: number): string {
  const parts = { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const; // TypeScript would widen 3
  return new Date(ms).toLocaleTimeString(locale, parts);
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
  return new Date(ms).toLocaleDateString(locale, { weekday: "long", month: "long", day: "numeric" });
}

/** "today at 9:41 AM" */
export function dayAndTime(ms: number, now: number): string {
  const day = dayWords(ms, now);
  const isNear = day === "Today" || day === "Yesterday";
  return `${isNear ? day.toLowerCase() : day} at ${timeOfDay(ms)}`;
}

export function isSameDay(one: number, other: number): boolean {
  return dayNumber(one) === dayNumber(other);
}
