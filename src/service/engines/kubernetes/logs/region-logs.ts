/** A service or job whose log is read. */
export type LoggedWorkload = {
  readonly namespace: string;
  /** In the API; an adopted one's object can have another name. */
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job";
  readonly objectName: string;
  /** As Kubernetes says it: 2026-11-21T10:00:00Z. */
  readonly createdAt: string;
  /** Names of its pods, as far as they exist. */
  readonly pods: readonly string[];
};

export type PageOptions = {
  readonly instance?: string | undefined;
  /** 2026-11-21, in UTC */
  readonly day: string;
  /** How many of the newest lines are left out. */
  readonly from: number;
  readonly size: number;
  readonly signal: AbortSignal;
};

export type InstanceLine = { readonly instance: string; readonly line: string };

/** Where the logs of one region are read: from Kubernetes, or from Loki. */
export type RegionLogs = {
  /** Lines of a day, counted from the newest; oldest first inside the page. Rejects with a `Refusal`. */
  readonly page: (workload: LoggedWorkload, options: PageOptions) => Promise<readonly InstanceLine[]>;
  /** Whether there is a log of this instance, whose pod is gone. Rejects with a `Refusal`. */
  readonly hasInstance: (workload: LoggedWorkload, instance: string, signal: AbortSignal) => Promise<boolean>;
};

/** A line with its time in nanoseconds: 19 digits. Without a time it isn't the container's but the kubelet's. */
export type TimedLine = { readonly time: string | undefined; readonly text: string };

/** The rest of a longer line is cut. A container runtime ends its own pieces at 16 KiB. */
export const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 10;
/** Longer than any time in front of a line. */
const PREFIX_BYTES = 64;

/** Cuts a log into lines; chunks end anywhere. Invalid UTF-8 becomes U+FFFD; the end of a line is `\n` or `\r\n`. */
export function splitTimedLines() {
  let parts: Buffer[] = [];
  let kept = 0;
  let size = 0;
  const parse = makeParser();

  function keep(piece: Buffer): void {
    const room = MAX_LINE_BYTES + PREFIX_BYTES - kept;
    const part = piece.subarray(0, Math.max(0, room));
    if (part.length > 0) parts.push(Buffer.from(part)); // a copy: the chunk's memory is used again
    kept += part.length;
    size += piece.length;
  }

  function take(): TimedLine {
    const line = parse(Buffer.concat(parts), size);
    parts = [];
    kept = 0;
    size = 0;
    return line;
  }

  return {
    /** Yields the lines that this chunk completes. Consume all of them. */
    *push(chunk: Buffer): Generator<TimedLine> {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        yield take();
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    /** The last line, if the log ended without a line end. */
    end: (): TimedLine[] => (size > 0 ? [take()] : []),
  };
}

/** RFC 3339 as the kubelet writes it, also with the zone of its node. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/u;

function makeParser(): (bytes: Buffer, size: number) => TimedLine {
  let last = { second: "", seconds: "" };
  return (bytes, size) => {
    const space = bytes.subarray(0, PREFIX_BYTES).indexOf(" ");
    const [, second = "", fraction = "", zone = ""] = TIME.exec(bytes.toString("latin1", 0, Math.max(0, space))) ?? [];
    if (second === "") return { time: undefined, text: textOf(bytes, size) };
    // Lines of the same second are many, and parsing a date is slow.
    const key = second + zone;
    if (key !== last.second) last = { second: key, seconds: String(Date.parse(key) / 1_000).padStart(10, "0") };
    return { time: last.seconds + fraction.padEnd(9, "0"), text: textOf(bytes.subarray(space + 1), size - space - 1) };
  };
}

function textOf(bytes: Buffer, size: number): string {
  if (size <= MAX_LINE_BYTES) return bytes.toString("utf8").replace(/\r$/u, "");
  const text = bytes
    .subarray(0, MAX_LINE_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "");
  return `${text} [gantry] ${size - MAX_LINE_BYTES} more bytes of this line were cut`;
}

/** Lines of stdout and stderr can be out of order by less than this. */
export const DISORDER_MS = 2_000;

/** The moment of a time in nanoseconds. */
export function momentOf(time: string): Date {
  return new Date(Number(time.slice(0, 13)));
}
