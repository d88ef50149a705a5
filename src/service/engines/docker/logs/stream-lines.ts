import { type EntryFilter, makeEntryFilter } from "./entry-filter.ts";
import { START, type StreamPosition } from "./position.ts";

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
  /** Up to where everything is in this line and those before. */
  readonly position: StreamPosition;
};

/** The lines of standard output, or of standard error. */
export type StreamLines = Pick<EntryFilter, "isConnected"> & {
  /** Takes an entry, and returns the lines that it completes. */
  readonly push: (time: string, bytes: Buffer) => readonly StreamLine[];
  /** The last line, if the output ended without a line end. */
  readonly end: () => readonly StreamLine[];
  /** When the unfinished line began. */
  readonly unfinishedSince: () => string | undefined;
};

/**
 * Puts the entries after a position together: a daemon writes a part of a line as an entry when the line is long, and
 * Podman whenever the program writes one.
 */
export function makeStreamLines(after: StreamPosition = START): StreamLines {
  const filter = makeEntryFilter(after);
  let read = after;
  let stored = after;
  let unfinished: Unfinished | undefined;
  let isInLine = false;

  function take(isWhole: boolean): StreamLine[] {
    if (!unfinished) return [];
    const { text, rest } = textOf(unfinished, { open: stored.open, isWhole });
    stored = { ...read, open: rest };
    const line = { time: unfinished.time, text, position: stored };
    unfinished = undefined;
    return [line];
  }

  return {
    push(time, bytes) {
      const position = filter.next(time, isInLine);
      isInLine = bytes.at(-1) !== NEWLINE;
      if (!position) return [];
      const isTooLong = unfinished !== undefined && unfinished.size + bytes.length > MAX_LINE_BYTES + LINE_END_BYTES;
      const before = isTooLong ? take(false) : [];
      read = position;
      unfinished ??= { time: position.time, parts: [], size: 0 };
      unfinished.parts.push(bytes);
      unfinished.size += bytes.length;
      return isInLine ? before : [...before, ...take(true)];
    },
    end() {
      if (stored.open) unfinished ??= { time: read.time, parts: [], size: 0 };
      return take(true);
    },
    unfinishedSince: () => unfinished?.time,
    isConnected: filter.isConnected,
  };
}

type Unfinished = { readonly time: string; parts: Buffer[]; size: number };
type Taking = { readonly open: string | undefined; readonly isWhole: boolean };

/** The text, and the bytes at its end that begin a character: they belong to the next piece. */
function textOf({ parts }: Unfinished, { open, isWhole }: Taking): { text: string; rest: string | undefined } {
  const bytes = Buffer.concat([Buffer.from(open ?? "", "hex"), ...parts]);
  const end = isWhole ? endOfText(bytes) : bytes.length - unfinishedCharacter(bytes);
  const text = bytes.toString("utf8", 0, end).replaceAll("\0", "\uFFFD");
  return {
    text: open === undefined ? text : CONTINUED + text,
    rest: isWhole ? undefined : bytes.toString("hex", end),
  };
}

/** The end of a line is `\n` or `\r\n`. */
function endOfText(bytes: Buffer): number {
  if (bytes.at(-1) !== NEWLINE) return bytes.length;
  return bytes.at(-2) === CARRIAGE_RETURN ? bytes.length - 2 : bytes.length - 1;
}

const CARRIAGE_RETURN = 13;

/** How many bytes at the end begin a character of UTF-8 that isn't complete: 0 to 3. */
function unfinishedCharacter(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    // A byte inside a character is 10xxxxxx; the first one says by its leading ones how many bytes there are.
    if ((byte & 0xc0) === 0x80) continue;
    return count < Math.clz32(~(byte << 24)) ? count : 0;
  }
  return 0;
}
