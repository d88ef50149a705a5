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

// The parts of dates that Gantry sends, as Slack writes them in English: https://docs.slack.dev/messaging/formatting-message-text#date-formatting

type SlackDate = {
  readonly seconds: number;
  /** "Posted {date_short_pretty} at {time}" */
  readonly format: string;
  /** Milliseconds since 1970, for "today". */
  readonly now: number;
  /** Default: the reader's time zone. */
  readonly timeZone?: string | undefined;
};

const day = 86_400_000;
const halfYear = 183 * day;

type Parts = ReturnType<typeof partsOf>;

function partsOf(ms: number, timeZone: string | undefined) {
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-US", { ...options, timeZone }).format(ms);
  return {
    year: Number(format({ year: "numeric" })),
    month: Number(format({ month: "numeric" })),
    date: Number(format({ day: "numeric" })),
    monthShort: format({ month: "short" }),
    time: format({ hour: "numeric", minute: "2-digit" }),
  };
}

/** A time to come is rounded to the nearest: of four hours that were just set, a second is gone and 4 hours are left. */
function ago(seconds: number): string {
  const isToCome = seconds > 0;
  const size = Math.abs(seconds);
  // 59 minutes and 59 seconds are an hour.
  const rounded = isToCome && size >= 60 ? Math.round(size / 60) * 60 : size;
  const steps = [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ] as const;
  const [unit, length] = steps.find(([, length]) => rounded >= length) ?? ["second", 1];
  const count = (isToCome ? Math.round : Math.floor)(rounded / length);
  const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return isToCome ? `in ${words}` : `${words} ago`;
}

const nearDays: Readonly<Record<number, string>> = { [-1]: "yesterday", 0: "today", 1: "tomorrow" };

function tokensOf(asked: SlackDate): Readonly<Record<string, string>> {
  const ms = asked.seconds * 1000;
  const then = partsOf(ms, asked.timeZone);
  const now = partsOf(asked.now, asked.timeZone);
  const dayOf = ({ year, month, date }: Parts): number => Date.UTC(year, month - 1, date) / day;
  const near = nearDays[dayOf(then) - dayOf(now)];
  // Slack omits the year within half a year from now.
  const year = Math.abs(ms - asked.now) < halfYear ? "" : `, ${then.year}`;
  return {
    date_short_pretty: near ?? `${then.monthShort} ${then.date}${year}`,
    time: then.time,
    ago: ago(asked.seconds - Math.floor(asked.now / 1000)),
  };
}

/** A formatted date; undefined for an unknown token or an invalid date. */
export function formatSlackDate(date: SlackDate): string | undefined {
  if (!Number.isFinite(new Date(date.seconds * 1000).getTime())) return undefined;
  const tokens = tokensOf(date);
  const names = [...date.format.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (!names.every((name) => Object.hasOwn(tokens, name))) return undefined;
  const text = date.format.replaceAll(/\{(\w+)\}/g, (_token, name: string) => tokens[name] ?? "");
  // A leading token is capitalised; the bot's own words are kept.
  return date.format.startsWith("{") ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
