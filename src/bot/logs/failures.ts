import { entriesOf, isContinuation, linesSince, type LogEntry, type RedactedLine } from "./entries.ts";
import { fieldsOf } from "./line-fields.ts";
import { headOf } from "./line-head.ts";

/** What a page of a log says about failures. */
export type LogFindings = {
  /** How many lines were read, without those of `gone`. */
  readonly read: number;
  /** Lines of instances that no longer exist, or from before the last rollout, which aren't counted. Undefined when every line counts. */
  readonly gone: GoneLines | undefined;
  /** There may be older lines today: nothing is known about them. */
  readonly mayHaveOlder: boolean;
  /** How many entries report a failure. */
  readonly count: number;
  /** The same failures together, the most frequent first. */
  readonly failures: readonly Failure[];
  /** The newest entries, oldest first. */
  readonly newest: readonly LogEntry[];
  /** How many there were in which time; undefined when the log has no times and its beginning wasn't read. */
  readonly recent: Recent | undefined;
};

export type Failure = {
  /** In few words: "lost the connection to the database". */
  readonly message: string;
  readonly count: number;
  /** The newest of them, from its first line on. */
  readonly latest: LogEntry;
};

/** How many such lines there are, and how many failures they report. */
export type GoneLines = {
  readonly lines: number;
  readonly count: number;
  readonly worst: string | undefined;
  /** How long ago the last rollout began, from which on lines count; undefined where that isn't known, or was before all of them. */
  readonly rolloutAgoMs: number | undefined;
};

export type Recent = { readonly count: number; readonly spanMs: number };

/** Words with which programs report a failure, in a line without a level. */
const FAILURE =
  /error|exception|fatal|panic|fail|crash|killed|exit code|exited with|traceback|refused|denied|timed? ?out/iu;
/** "0 errors", "errors=0", `"error":""`, "no failures", "exited with code 0" report none. */
const NONE =
  /\b(?:0|no|zero|without(?: any)?) (?:errors?|failures?|failed|exceptions?)\b|\b(?:err|errors?|exceptions?|failures?|failed|error_count)["']?\s{0,4}[=:]\s{0,4}(?:["']?(?:0|null|<?nil>?|none|false)\b["']?|""|''|\{\}|\[\]|(?<==)(?:\s|$))|\bexit(?:ed)?(?: with)?(?: code)?[ :=]{1,3}0\b/giu;
/** A source line that Node.js prints above an error, which follows. */
const SOURCE = /^\s*(?:throw\b|\^+$)/u;
/** Says that a program ended, not why. */
const ENDING = /\bexit(?:ed|s)?\b.{0,20}\d|\bstart(?:ed|ing) again\b|\bback-?off\b|\brestart(?:ed|ing)\b/iu;

/** Failures of the last ten minutes say how it is now. */
const RECENT_MS = 10 * 60_000;
const NEWEST = 10;

export type FindingInput = {
  /** Oldest first. */
  readonly lines: readonly RedactedLine[];
  readonly mayHaveOlder: boolean;
  readonly nowMs: number;
  /** When the log began, or its day did. */
  readonly startMs: number;
  /** When the last rollout began, where that is known: what was logged before is of what doesn't run any more. */
  readonly rolloutMs?: number | undefined;
  /** Whether an instance no longer exists, where that is known. */
  readonly isGone?: (instance: string) => boolean;
};

/** Looks for failures in the newest lines of a log: in those of what runs now. Pure. */
export function findFailures({ lines: all, isGone = () => false, rolloutMs, ...input }: FindingInput): LogFindings {
  const { nowMs, startMs } = input;
  const isLater = rolloutMs !== undefined && rolloutMs > startMs;
  const since = isLater ? linesSince(all, { sinceMs: wholeSecond(rolloutMs), nowMs }) : undefined;
  const ofRollout = new Set(since ?? all);
  const lines = all.filter((line) => ofRollout.has(line) && !isGone(line.instance ?? ""));
  const begun = since === undefined ? input : { ...input, startMs: wholeSecond(rolloutMs ?? startMs) };
  if (lines.length === all.length) return findIn(all, begun, undefined);
  const counted = new Set(lines);
  const others = all.filter((line) => !counted.has(line));
  const { count, failures } = findIn(others, input, undefined);
  const isOld = ofRollout.size < all.length;
  const rolloutAgoMs = isOld && rolloutMs !== undefined ? nowMs - rolloutMs : undefined;
  return findIn(lines, begun, { lines: others.length, count, worst: failures[0]?.message, rolloutAgoMs });
}

/** Times in lines can be whole seconds. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function findIn(
  lines: readonly RedactedLine[],
  { mayHaveOlder, nowMs, startMs }: Omit<FindingInput, "lines" | "isGone" | "rolloutMs">,
  gone: GoneLines | undefined,
): LogFindings {
  const entries = entriesOf(lines, nowMs);
  const reports = entries.flatMap((entry) => {
    const line = failureIn(entry);
    return line === undefined ? [] : [{ entry, message: messageOf(line) }];
  });
  const causes = reports.filter(({ message }) => !ENDING.test(message));
  // That an instance ended is no second failure beside the one that ended it.
  const failing = causes.length > 0 ? causes : reports;
  const failures = new Map<string, Failure>();
  // Backwards, so that of two that are as many the one nearer to the end comes first.
  for (const { entry, message } of failing.toReversed()) {
    // The same for messages that differ only in numbers, ids and addresses.
    const key = message
      .slice(0, 300)
      .toLowerCase()
      .replaceAll(/\b(?:0x)?[\da-f]*\d[\da-f-]*\b/gu, "#");
    const known = failures.get(key) ?? { message, count: 0, latest: entry };
    failures.set(key, { ...known, count: known.count + 1 });
  }
  return {
    read: lines.length,
    gone,
    mayHaveOlder,
    count: failing.length,
    failures: [...failures.values()].sort((one, other) => other.count - one.count),
    newest: entries.slice(-NEWEST),
    recent: recentOf(
      failing.map(({ entry }) => entry),
      {
        // The current instances started later than the log.
        sinceMs: mayHaveOlder || (gone !== undefined && gone.rolloutAgoMs === undefined) ? firstTime(entries) : startMs,
        nowMs,
        hasTimes: firstTime(entries) !== undefined,
      },
    ),
  };
}

/** An exception of Java below the line that logged it. */
const EXCEPTION = /^[a-z][\w$]{0,60}(?:\.[\w$]{1,80}){1,12}(?::|$)/u;

/** The line of an entry that reports the failure. */
function failureIn({ lines }: LogEntry): string | undefined {
  const [first = ""] = lines;
  // The error of a Python traceback is its last line.
  if (/Traceback \(most recent/u.test(first)) return lines.findLast((line) => /^\S/u.test(line)) ?? first;
  // What belongs to a warning is none. A crash is none of the line before it, which its program wrote last.
  const isNone = headOf(first).isError === false;
  return lines.find((line) => !(isNone && (isContinuation(line) || EXCEPTION.test(line))) && reports(line));
}

function reports(line: string): boolean {
  return headOf(line).isError ?? (FAILURE.test(line.replaceAll(NONE, "")) && !SOURCE.test(line));
}

type Covered = {
  /** The beginning of what was read. */
  readonly sinceMs: number | undefined;
  readonly nowMs: number;
  readonly hasTimes: boolean;
};

/** Of the last minutes, as far as they were read. Without times, all that were read count. */
function recentOf(failing: readonly LogEntry[], { sinceMs, nowMs, hasTimes }: Covered): Recent | undefined {
  if (sinceMs === undefined) return undefined;
  const from = hasTimes ? Math.max(sinceMs, nowMs - RECENT_MS) : sinceMs;
  const count = hasTimes ? failing.filter(({ atMs }) => atMs !== undefined && atMs >= from).length : failing.length;
  return { count, spanMs: Math.max(0, nowMs - from) };
}

function firstTime(entries: readonly LogEntry[]): number | undefined {
  return entries.find(({ atMs }) => atMs !== undefined)?.atMs;
}

/** What repeats the level before the message. */
const LEVEL =
  /^(?:[[(<]?(?:error|err|fatal|panic|critical|crit|severe|warn(?:ing)?|info|uncaught(?:exception)?|unhandled(?:rejection)?)[\])>]?[\s:|-]+)+/iu;

/** What failed, without time and level: "lost the connection to the database". */
function messageOf(line: string): string {
  const text = line.trim();
  const head = headOf(text);
  const bare = (jsonMessage(text) ?? pairedMessage(text, head.message)).replace(LEVEL, "").trim();
  return bare === "" ? text : bare;
}

/** Of a line in logfmt: what it says, and why. */
function pairedMessage(text: string, from: number): string {
  const rest = text.slice(from);
  const fields = fieldsOf(rest);
  const message = fields?.get("msg") ?? fields?.get("message");
  if (message === undefined) return rest;
  const cause = fields?.get("err") ?? fields?.get("error");
  return [message, cause].flatMap((field) => field?.value || []).join(": ");
}

function jsonMessage(line: string): string | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  const found = /"(?:@?msg|@?message|@mt?|error)"\s*:\s*"((?:[^"\\]|\\.){1,500})"/u.exec(line);
  return found?.[1]?.replaceAll(/\\(["\\/])/gu, "$1");
}
