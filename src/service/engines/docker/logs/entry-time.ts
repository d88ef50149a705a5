import type { Entry } from "./log-entries.ts";

/** Longer than any time in front of an entry. */
const LONGEST_BYTES = 64;

/** RFC 3339: nanoseconds in UTC from Docker, whole seconds in the machine's zone from Podman. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/u;

export type TimedEntry = {
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
