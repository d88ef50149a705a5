import type { Redacted } from "../../api/redacted.ts";
import { headOf } from "./line-head.ts";

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

/**
 * The entries of a page of a log, in the order in which they began. Lines whose beginning is on an older page are left
 * out. In a log with times, what has none belongs to the line before it. `nearMs`: about when it was read. Pure.
 */
export function entriesOf(lines: readonly RedactedLine[], nearMs: number): LogEntry[] {
  const records = lines.flatMap(
    ({ instance = "", text }) =>
      text.split("\n").map((line) => ({ instance, line: line as Redacted, atMs: lineTime(line, nearMs) })), // a part of it
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

/**
 * The time that a line of a log has at its start or in its field, in milliseconds: never a date in its text, and near to when
 * it was read, if that is given. Undefined for a line without one. Pure.
 */
export function lineTime(line: string, nearMs?: number): number | undefined {
  return headOf(line, nearMs).atMs;
}

/** A line without its time, to compare what it says with others. Pure. */
export function withoutTime(line: string): string {
  const { time } = headOf(line);
  return time === undefined ? line : line.slice(0, time.from) + line.slice(time.to);
}

export type TimedLine = { readonly instance?: string; readonly text: string };
export type RedactedLine = TimedLine & { readonly text: Redacted };

/**
 * The lines from this moment on, of those read now. A line without a time belongs to the one before it of its instance, as in
 * a stack trace; those that an instance begins with, to the one after them. Undefined when no line has a time, so that nothing
 * can be said about any of them. Pure.
 */
export function linesSince<Line extends TimedLine>(
  lines: readonly Line[],
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): readonly Line[] | undefined {
  const times = lines.map(({ text }) => lineTime(text, nowMs));
  const last = new Map<string, number>();
  for (const [at, { instance = "" }] of lines.entries()) {
    const ms = times[at];
    if (ms !== undefined && !last.has(instance)) last.set(instance, ms);
  }
  if (last.size === 0 && lines.length > 0) return undefined;
  return lines.filter(({ instance = "" }, at) => {
    const ms = times[at] ?? last.get(instance);
    if (ms === undefined) return false;
    last.set(instance, ms);
    return ms >= sinceMs;
  });
}
