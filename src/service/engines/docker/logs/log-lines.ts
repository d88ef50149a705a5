import { endOfPiece, lineText, MAX_LINE_BYTES } from "../../../workloads/runtime.ts";

const NEWLINE = 10;
const LINE_END_BYTES = 2;

/** A line, or a piece of a long one. */
export type StreamLine = {
  readonly time: string;
  readonly text: string;
  /** Everything up to here is in this line and those before. */
  readonly mark: Mark;
};

/**
 * The lines of standard output, or of standard error. Puts the entries after a mark together: a daemon writes a part of a line as an entry when the line is long, and Podman
 * whenever the program writes one.
 */
export function makeStreamLines(after: Mark = START) {
  const number = makeNumbers();
  let isConnected = after.time === "";
  let isInLine = false;
  let read = after;
  let unfinished: Unfinished | undefined;

  function take(isWhole: boolean): readonly StreamLine[] {
    const lines: StreamLine[] = [];
    if (!unfinished) return lines;
    const { first, stored } = unfinished;
    let { bytes, pieces } = unfinished;
    const add = (piece: Buffer, mark: Mark): void => {
      if (pieces >= stored) lines.push({ time: first.time, text: lineText(piece, pieces > 0), mark });
      pieces += 1;
    };
    while (bytes.length > MAX_LINE_BYTES + LINE_END_BYTES) {
      const end = endOfPiece(bytes);
      add(bytes.subarray(0, end), { ...first, pieces: pieces + 1 });
      bytes = bytes.subarray(end);
    }
    if (isWhole) add(withoutEnd(bytes), read);
    unfinished = isWhole ? undefined : { first, stored, bytes, pieces };
    return lines;
  }

  return {
    /** Takes an entry, and returns what it completes after the mark. */
    push(time: string, bytes: Buffer): readonly StreamLine[] {
      const entry = number(time, isInLine);
      isInLine = bytes.at(-1) !== NEWLINE;
      if (!entry) return [];
      const isAtMark = entry.time === after.time && entry.count === after.count;
      if (isAtMark) isConnected = true;
      if (isAtMark ? after.pieces === 0 : isBefore(entry, after)) return [];
      read = entry;
      unfinished ??= { first: entry, stored: isAtMark ? after.pieces : 0, bytes: Buffer.alloc(0), pieces: 0 };
      unfinished.bytes = unfinished.bytes.length === 0 ? bytes : Buffer.concat([unfinished.bytes, bytes]);
      return take(!isInLine);
    },
    /** The last line, if the output ended without a line end. */
    end: () => take(true),
    /** When the unfinished line began. */
    unfinishedSince: () => unfinished?.first.time,
    /** Whether the entry at the mark came again. */
    isConnected: () => isConnected,
  };
}

type Unfinished = {
  /** The entry with which the line begins. */
  readonly first: Mark;
  /** So many of its pieces are stored since an earlier reading. */
  readonly stored: number;
  bytes: Buffer;
  readonly pieces: number;
};

function isBefore(entry: Mark, mark: Mark): boolean {
  return entry.time === mark.time ? entry.count < mark.count : entry.time < mark.time;
}

/** Entries that are remembered: Docker repeats those at the beginning of a new log file, which are few. */
const REMEMBERED = 2_048;

/**
 * Numbers the entries of a stream; undefined for one that came before. A follow of Docker can repeat entries when a log
 * file is rotated. Two entries have the same nanosecond only as parts of one line, and a clock that was set back by a
 * moment gives them times that didn't come yet.
 */
function makeNumbers(): (time: string, isPart: boolean) => Mark | undefined {
  const seen = new Set<string>();
  let last = START;
  return (time, isPart) => {
    const isNewer = time > last.time || isSetBack(time, last.time);
    const isPartOfLast = isPart && time === last.time;
    const [oldest = ""] = seen;
    // What is older than all that is remembered can only be a repetition.
    const cameBefore = seen.has(time) || (seen.size === REMEMBERED && time < oldest);
    if (cameBefore && !isNewer && !isPartOfLast && !time.endsWith(WHOLE_SECOND)) return undefined;
    seen.add(time);
    if (seen.size > REMEMBERED) seen.delete(oldest);
    last = isNewer ? { time, count: 1, pieces: 0 } : { ...last, count: last.count + 1 };
    return last;
  };
}

/** Podman's times are whole seconds. */
const WHOLE_SECOND = "000000000";

/** The end of a line is `\n` or `\r\n`. */
function withoutEnd(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== NEWLINE) return bytes;
  return bytes.subarray(0, bytes.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

const CARRIAGE_RETURN = 13;

/** Standard output, standard error, or an error of the daemon itself in the middle of the log. */
type EntryStream = "out" | "err" | "daemon";

/**
 * An entry as the daemon's log driver wrote it: a line, or a part of one. A very large one comes in several parts, cut
 * always at the same places, of which only the first has the time.
 */
export type Entry = { readonly stream: EntryStream; readonly bytes: Buffer; readonly isFirst: boolean };

/** Longer entries are passed on in parts. Docker cuts lines at 16 KiB, Podman at 8; in front of each is a time. */
const MAX_PART_BYTES = 16 * 1024 + 64;

const HEADER_BYTES = 8;
const STREAMS: readonly EntryStream[] = ["out", "out", "err", "daemon"];

/**
 * Takes the frames apart in which a log comes: 8 bytes, the first of which is the stream and the last four the length, and
 * an entry. Chunks end anywhere; what they complete is yielded, and has to be consumed.
 */
export function splitFrames(): (chunk: Buffer) => Iterable<Entry> {
  let rest: Buffer = Buffer.alloc(0);
  let inside: { readonly stream: EntryStream; left: number; isFirst: boolean } | undefined;

  function readHeader(): boolean {
    if (rest.length < HEADER_BYTES) return false;
    inside = { stream: STREAMS[rest[0] ?? 0] ?? "daemon", left: rest.readUInt32BE(4), isFirst: true };
    rest = rest.subarray(HEADER_BYTES);
    return true;
  }

  return function* (chunk) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (inside ?? readHeader()) {
      if (!inside) continue;
      const size = Math.min(inside.left, MAX_PART_BYTES);
      if (rest.length < size) break;
      const { stream, isFirst } = inside;
      yield { stream, bytes: rest.subarray(0, size), isFirst };
      rest = rest.subarray(size);
      inside = inside.left > size ? { stream, left: inside.left - size, isFirst: false } : undefined;
    }
  };
}

/** Longer than any time in front of an entry. */
const LONGEST_BYTES = 64;

/** RFC 3339: nanoseconds in UTC from Docker, whole seconds in the machine's zone from Podman. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/u;

type TimedEntry = {
  readonly stream: "out" | "err";
  /** In nanoseconds: 19 digits. */
  readonly time: string;
  readonly bytes: Buffer;
};

/** The daemon's own error in the middle of a log. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** Takes the times off the entries of a log. Throws a `LogError` for one that isn't the container's. */
export function makeTimeReader(): (entry: Entry) => TimedEntry {
  let last = { second: "", seconds: "" };
  let time = "";
  return ({ stream, bytes, isFirst }) => {
    if (stream === "daemon") throw new LogError(bytes.toString("utf8").trim());
    if (!isFirst) return { stream, time, bytes };
    const space = bytes.subarray(0, LONGEST_BYTES).indexOf(" ");
    const [, second = "", fraction = "", zone = ""] = TIME.exec(bytes.toString("latin1", 0, Math.max(0, space))) ?? [];
    if (second === "") throw new LogError(`an entry without a time: ${bytes.toString("utf8", 0, LONGEST_BYTES)}`);
    // Entries of the same second are many, and parsing a date is slow.
    const key = second + zone;
    if (key !== last.second) last = { second: key, seconds: String(Date.parse(key) / 1_000).padStart(10, "0") };
    time = last.seconds + fraction.padEnd(9, "0");
    return { stream, time, bytes: bytes.subarray(space + 1) };
  };
}

/**
 * How far a stream of a container's output is stored: up to the entry with which a line ended, or up to a piece of the long
 * line that an entry begins. Entries are told apart by their time and their number since that time, from 1: Podman's times
 * are whole seconds.
 */
type Mark = {
  /** The newest time up to the entry, in nanoseconds: 19 digits. Empty before the first entry. */
  readonly time: string;
  readonly count: number;
  /** Of the long line that the entry begins; 0 where a line ended with it. */
  readonly pieces: number;
};

export type Position = {
  /** The daemon is asked for its entries since this time: what isn't stored yet is not older. */
  readonly from: string;
  readonly out: Mark;
  readonly err: Mark;
};

export const START: Mark = { time: "", count: 0, pieces: 0 };

/** As many as the daemons show. */
const ID_DIGITS = 12;

/** The text of a position in the log of this container. */
export function cursorOf(container: string, { from, out, err }: Position): string {
  return [container.slice(0, ID_DIGITS), from, textOf(out), textOf(err)].join(" ");
}

/** Undefined for a cursor of another container, which is one of an earlier start, or of another form. */
export function positionOf(container: string, cursor = ""): Position | undefined {
  const [of, ...rest] = cursor.split(" ");
  // Gantry up to 0.9 wrote one more time in front.
  const [from = "", out = "", err = ""] = rest.slice(-3);
  const [outAt, errAt] = [markOf(out), markOf(err)];
  if (of !== container.slice(0, ID_DIGITS) || !/^\d{19}$/u.test(from) || !outAt || !errAt) return undefined;
  return { from, out: outAt, err: errAt };
}

function textOf({ time, count, pieces }: Mark): string {
  return `${time}-${count}${pieces === 0 ? "" : `+${pieces}`}`;
}

function markOf(text: string): Mark | undefined {
  // Gantry up to 0.9 wrote bytes in hexadecimal digits in place of the pieces, the first one a letter.
  const [, time, count, pieces] = /^(\d{19}|)-(\d+)(?:\+(?:(\d*)|[a-f][\da-f]*))?$/u.exec(text) ?? [];
  return time === undefined ? undefined : { time, count: Number(count), pieces: Number(pieces ?? 0) };
}

/** Entries of a log can be out of order by less than this, or else a second reading would number them differently. */
const DISORDER_MS = 2_000;

/** Whether the machine's clock was set back between two entries. */
function isSetBack(time: string, newest: string): boolean {
  return newest !== "" && momentOf(newest).getTime() - momentOf(time).getTime() > DISORDER_MS;
}

/** From where to read again, in whole seconds, so that the entry at the position is among them. */
export function sinceOf({ from }: Position): number {
  return Math.max(0, Math.floor((momentOf(from).getTime() - DISORDER_MS) / 1_000));
}

/** The moment of a time in nanoseconds. */
export function momentOf(time: string): Date {
  return new Date(Number(time.slice(0, 13)));
}
