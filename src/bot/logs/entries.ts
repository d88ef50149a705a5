import type { Redacted } from "../../api/redacted.ts";

/** One thing that a program logged: its first line with the stack trace, or the other lines, that belong to it. */
export type LogEntry = {
  readonly instance: string;
  readonly lines: readonly Redacted[];
  /** When it was logged, in milliseconds; undefined when the log has no times. */
  readonly atMs: number | undefined;
};

/** How traces of common runtimes go on: frames are indented, causes and closing brackets aren't. */
const FOLLOWING =
  /^(?:\s|$|at\s|Caused by:|\.{3} \d+ more|[)\]}]+[;,]?$|During handling of the above|The above exception was|goroutine \d+ \[|Node\.js v\d)/u;
/** The line after the frames of Python is the error itself. */
const TRACEBACK = /Traceback \(most recent call last\):$/u;

/** Whether a line belongs to the one before it of its instance. Pure. */
export function isContinuation(line: string): boolean {
  return goesOn({ line, atMs: lineTime(line) });
}

/** A line with its time. Parsing the time costs more than everything else, so it is done once. */
type Timed = { readonly line: string; readonly atMs: number | undefined };

function goesOn({ line, atMs }: Timed): boolean {
  return atMs === undefined && FOLLOWING.test(line);
}

/** From the first line on that begins an entry: what is left of a stack trace says nothing. All, if none begins one. Pure. */
export function fromBeginning(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => !isContinuation(line));
  return at < 0 ? lines : lines.slice(at);
}

/**
 * The entries of a page of a log, in the order in which they began. Lines whose beginning is on an older page are left
 * out. In a log with times, what has none belongs to the line before it. Pure.
 */
export function entriesOf(lines: readonly RedactedLine[]): LogEntry[] {
  const records = lines.flatMap(
    ({ instance = "", text }) =>
      text.split("\n").map((line) => ({ instance, line: line as Redacted, atMs: lineTime(line) })), // a part of it
  );
  const byInstance = Map.groupBy(records, ({ instance }) => instance);
  const timed = new Set([...byInstance].filter(([, own]) => isMostlyTimed(own)).map(([instance]) => instance));
  const entries: { instance: string; lines: Redacted[]; atMs: number | undefined; isOpen: boolean }[] = [];
  const last = new Map<string, (typeof entries)[number]>();
  for (const { instance, line, atMs } of records) {
    const before = last.get(instance);
    const isTraced = before?.isOpen === true && atMs === undefined;
    if (isTraced || goesOn({ line, atMs }) || (timed.has(instance) && atMs === undefined)) {
      if (before === undefined) continue;
      before.lines.push(line);
      before.isOpen = before.isOpen && goesOn({ line, atMs });
      continue;
    }
    const entry = { instance, lines: [line], atMs, isOpen: TRACEBACK.test(line) };
    entries.push(entry);
    last.set(instance, entry);
  }
  return entries.map(({ isOpen: _isOpen, ...entry }) => entry);
}

function isMostlyTimed(lines: readonly Timed[]): boolean {
  const beginnings = lines.filter(({ line }) => !FOLLOWING.test(line));
  return beginnings.filter(({ atMs }) => atMs !== undefined).length * 2 > beginnings.length;
}

/** A time is at the start of a line, behind a bracket or the key of a field. */
const SEARCHED = 160;
const DAY_AND_TIME =
  /(?<![\d-])(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,3})\d*)?(?: ?(Z|[+-]\d{2}:?\d{2}))?/u;
const ACCESS_LOG = /\[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})\]/u;
const UNIX = /"?(?:ts|time|timestamp)"?[:=] ?"?(\d{10})(?:\.(\d{1,3})\d*|(\d{3}))?(?!\d)/u;

/** The time that a log line says, in milliseconds; a time without a zone is UTC. Undefined for a line without one. Pure. */
export function lineTime(line: string): number | undefined {
  const start = line.slice(0, SEARCHED);
  const ms = dayAndTime(start) ?? accessLogTime(start) ?? unixTime(start);
  return ms === undefined || Number.isNaN(ms) ? undefined : ms;
}

const CLOCK_FIRST = /^\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?Z? /u;

/** A line without the time that it begins with, to compare what it says with others. Pure. */
export function withoutTime(line: string): string {
  const start = line.slice(0, SEARCHED);
  const rest = line.slice(SEARCHED);
  const cut = [DAY_AND_TIME, ACCESS_LOG, UNIX].reduce((text, pattern) => text.replace(pattern, ""), start);
  return cut.replace(CLOCK_FIRST, "") + rest;
}

function dayAndTime(text: string): number | undefined {
  const found = DAY_AND_TIME.exec(text);
  if (found === null) return undefined;
  const [, year = "", month = "", day = "", time = "", fraction = "", zone = "Z"] = found;
  const offset = /^[+-]\d{4}$/u.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return Date.parse(`${year}-${month}-${day}T${time}.${fraction.padEnd(3, "0")}${offset}`);
}

function accessLogTime(text: string): number | undefined {
  const found = ACCESS_LOG.exec(text);
  if (found === null) return undefined;
  const [, day = "", month = "", year = "", time = "", zone = ""] = found;
  return Date.parse(`${day} ${month} ${year} ${time} ${zone}`);
}

function unixTime(text: string): number | undefined {
  const found = UNIX.exec(text);
  if (found === null) return undefined;
  const [, seconds = "", fraction, millis] = found;
  return Number(seconds) * 1_000 + Number((fraction ?? millis ?? "").padEnd(3, "0"));
}

export type TimedLine = { readonly instance?: string; readonly text: string };
export type RedactedLine = TimedLine & { readonly text: Redacted };

/**
 * The lines from this moment on. A line without a time belongs to the one before it of its instance, as in a stack trace.
 * Undefined when no line has a time, so that nothing can be said about any of them. Pure.
 */
export function linesSince<Line extends TimedLine>(
  lines: readonly Line[],
  sinceMs: number,
): readonly Line[] | undefined {
  const last = new Map<string, number>();
  const kept = lines.filter(({ instance = "", text }) => {
    const ms = lineTime(text) ?? last.get(instance);
    if (ms === undefined) return false;
    last.set(instance, ms);
    return ms >= sinceMs;
  });
  return last.size === 0 && lines.length > 0 ? undefined : kept;
}
