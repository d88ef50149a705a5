import { isSetBack, type Mark, START } from "./log-entries.ts";

/** Longer lines are stored in several pieces. */
const MAX_LINE_BYTES = 16 * 1024;
/** Prefix of all pieces of a long line except the first. */
const CONTINUED = "[…] ";
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
      const text = piece.toString("utf8").replaceAll("\0", "\uFFFD");
      if (pieces >= stored) lines.push({ time: first.time, text: pieces > 0 ? CONTINUED + text : text, mark });
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

/** A character of UTF-8 that would be cut belongs to the next piece: its bytes but the first are 10xxxxxx. */
function endOfPiece(bytes: Buffer): number {
  let end = MAX_LINE_BYTES;
  while (end > MAX_LINE_BYTES - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
