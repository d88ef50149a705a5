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
