import { lineTime, withoutTime } from "./entries.ts";

/** A line as it is shown, with what folding compares. */
type Foldable = {
  readonly instance: string;
  readonly text: string;
  /** All that it says; undefined where that isn't known. */
  readonly whole: string | undefined;
  /** The line as it was written, for its time. */
  readonly written: string;
  readonly match: boolean;
  readonly isAfterGap: boolean;
};

export type Folded<Line> = Line & { readonly count: number };

/**
 * Lines that follow each other and differ in nothing but their time become one with a count: "ping (×12 until 14:03:59Z)".
 * Lines of several instances stay in their order. Pure.
 */
export function foldRepeats<Line extends Foldable>(lines: readonly Line[]): readonly Folded<Line>[] {
  const folded: { line: Line; key: string | undefined; count: number; last: Line }[] = [];
  for (const line of lines) {
    const open = folded.at(-1);
    const { whole } = line;
    const key = whole === undefined ? undefined : `${line.instance}\n${line.match}\n${withoutTime(whole)}`;
    if (open !== undefined && key !== undefined && open.key === key && !line.isAfterGap) {
      open.count += 1;
      open.last = line;
    } else {
      folded.push({ line, key, count: 1, last: line });
    }
  }
  return folded.map(({ line, count, last }) =>
    count === 1 ? { ...line, count } : { ...line, count, text: `${line.text} (×${count}${until(line, last)})` },
  );
}

function until(first: Foldable, last: Foldable): string {
  const [from, to] = [lineTime(first.written), lineTime(last.written)];
  return from === undefined || to === undefined || from === to ? "" : ` until ${clock(new Date(to))}Z`;
}

function clock(at: Date): string {
  return at.toISOString().slice(11, 19);
}

/**
 * The lines that match, with so many before and after each of the same instance, in their order. Pure. `isAfterGap`: lines
 * between it and the one before aren't shown.
 */
export function aroundMatches(
  lines: readonly { readonly instance: string; readonly match: boolean }[],
  context: number,
): readonly { readonly at: number; readonly isAfterGap: boolean }[] {
  const kept = new Set<number>();
  for (const same of Map.groupBy(lines.keys(), (at) => lines[at]?.instance ?? "").values()) {
    for (const [nth, at] of same.entries()) {
      if (lines[at]?.match !== true) continue;
      for (const near of same.slice(Math.max(0, nth - context), nth + context + 1)) kept.add(near);
    }
  }
  const order = [...kept].toSorted((a, b) => a - b);
  return order.map((at, nth) => ({ at, isAfterGap: nth > 0 && at !== (order[nth - 1] ?? 0) + 1 }));
}

const keys = {
  time: ["time", "ts", "timestamp", "@timestamp", "datetime", "date", "t"],
  level: ["level", "lvl", "severity", "log.level", "levelname"],
  message: ["msg", "message", "event", "text", "@message"],
  stack: ["stack", "stack_trace", "stacktrace", "exc_info", "exception"],
} as const;

/** Levels of pino and bunyan: https://getpino.io/#/docs/api?id=loggerlevel-string-gettersetter */
const numericLevels: Readonly<Record<string, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};

/** A line in JSON of more fields is shown as it was written. */
const MOST_FIELDS = 200;

/**
 * A log line in JSON for people: "14:03:05Z ERROR payment failed order=77", with a stack trace on the lines below. Only
 * the day and the fraction of its time are left out. Undefined for other lines. Pure. The text that it returns was never redacted in this form: escapes are read,
 * so that a name split by one is whole again.
 */
export function readableLine(written: string): string | undefined {
  const text = written.trim();
  if (!text.startsWith("{") || !text.endsWith("}")) return undefined;
  const fields = fieldsIn(text);
  if (fields === undefined || fields.size > MOST_FIELDS) return undefined;
  const take = (names: readonly string[], isFit: (value: unknown) => boolean): unknown => {
    const name = names.find((each) => fields.has(each) && isFit(fields.get(each)));
    if (name === undefined) return undefined;
    const value = fields.get(name);
    fields.delete(name);
    return value;
  };
  const time = take(keys.time, (value) => timeWords(value) !== undefined);
  const level = take(keys.level, (value) => typeof value === "string" || typeof value === "number");
  const message = take(keys.message, (value) => typeof value === "string");
  // Not the line of a logger, but data.
  if (level === undefined && message === undefined) return undefined;
  const stack = take(keys.stack, (value) => typeof value === "string" && value.includes("\n"));
  const head = [timeWords(time), level === undefined ? undefined : levelWord(level), message].filter(
    (each) => each !== undefined && each !== "",
  );
  const rest = [...fields].map(([name, value]) => `${name}=${valueWords(value)}`);
  const line = [...head, ...rest].join(" ");
  return typeof stack === "string" ? `${line}\n${stack}` : line;
}

function fieldsIn(text: string): Map<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text, withSource);
    if (typeof read !== "object" || read === null || Array.isArray(read)) return undefined;
    return new Map(Object.entries(read));
  } catch {
    return undefined;
  }
}

/** Ids can have more digits than a number keeps. */
function withSource(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? source : value;
}

const CLOCK = /^\d{4}-\d{2}-\d{2}[T ](\d{2}:\d{2}:\d{2})(?:[.,]\d{1,9})?$/u;

/** The clock of a time: the day is that of the log. Undefined for what is no time. */
function timeWords(value: unknown): string | undefined {
  if (typeof value === "string") {
    const [, time] = CLOCK.exec(value) ?? [];
    // Without a zone it isn't known which one it is.
    if (time !== undefined) return time;
    const ms = lineTime(value);
    if (ms !== undefined) return `${clock(new Date(ms))}Z`;
  }
  const number = typeof value === "number" ? value : Number(typeof value === "string" ? value : Number.NaN);
  const ms = number > 1e12 ? number : number * 1_000;
  // Between 2001 and 2286: in seconds or milliseconds.
  return ms > 1e12 && ms < 1e13 ? `${clock(new Date(ms))}Z` : undefined;
}

function levelWord(level: unknown): string {
  const word = String(level);
  return numericLevels[word] ?? word.toUpperCase();
}

function valueWords(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=\\]+$/u.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "null";
}
