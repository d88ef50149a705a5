import { lineTime, type TimedLine } from "./line-time.ts";

/** One thing that a program logged: its first line with the stack trace, or the other lines, that belong to it. */
export type LogEntry = {
  readonly instance: string;
  readonly lines: readonly string[];
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
  return FOLLOWING.test(line) && lineTime(line) === undefined;
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
export function entriesOf(lines: readonly TimedLine[]): LogEntry[] {
  const records = lines.flatMap(({ instance = "", text }) => text.split("\n").map((line) => ({ instance, line })));
  const byInstance = Map.groupBy(records, ({ instance }) => instance);
  const timed = new Set(
    [...byInstance].filter(([, own]) => isMostlyTimed(own.map(({ line }) => line))).map(([instance]) => instance),
  );
  const entries: { instance: string; lines: string[]; atMs: number | undefined; isOpen: boolean }[] = [];
  const last = new Map<string, (typeof entries)[number]>();
  for (const { instance, line } of records) {
    const before = last.get(instance);
    const atMs = lineTime(line);
    const isTraced = before?.isOpen === true && atMs === undefined;
    if (isTraced || isContinuation(line) || (timed.has(instance) && atMs === undefined)) {
      if (before === undefined) continue;
      before.lines.push(line);
      before.isOpen = before.isOpen && isContinuation(line);
      continue;
    }
    const entry = { instance, lines: [line], atMs, isOpen: TRACEBACK.test(line) };
    entries.push(entry);
    last.set(instance, entry);
  }
  return entries.map(({ isOpen: _isOpen, ...entry }) => entry);
}

function isMostlyTimed(lines: readonly string[]): boolean {
  const beginnings = lines.filter((line) => !FOLLOWING.test(line));
  return beginnings.filter((line) => lineTime(line) !== undefined).length * 2 > beginnings.length;
}
