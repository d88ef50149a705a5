import type { Clock } from "../../../../platform/clock.ts";
import type { LogReader } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import { makeTimeReader, type Entry, splitFrames, splitTerminal } from "./log-entries.ts";
import { cursorOf, hasWholeSeconds, momentOf, type Position, sinceOf, START, type StreamPosition } from "./position.ts";
import type { RotationWatch } from "./rotation-watch.ts";
import { makeStreamLines, type StreamLine, type StreamLines } from "./stream-lines.ts";
import { type EntryFilter, isSetBack } from "./entry-filter.ts";

export type Reading = {
  readonly clock: Pick<Clock, "after">;
  readonly container: string;
  readonly hasTerminal: boolean;
  readonly after: Position | undefined;
  /**
   * `follow` waits for new lines. `catch-up` ends with the newest one: a daemon that reads its files to the end skips
   * none that it still has, also when files are rotated meanwhile. `rest` is the same after the container's end, and
   * `tail` reads only the last lines, because the rest is too much.
   */
  readonly how: "follow" | "catch-up" | "rest" | "tail";
  readonly write: LogReader["write"];
  readonly signal: AbortSignal;
  /** Called with the position after each line that was written. */
  readonly onPosition: (position: Position) => void;
  /** A follow or catch-up without a line for this long is given up, a `rest` that takes longer. */
  readonly limitMs: number;
  readonly lag: Lag;
  readonly rotation: Pick<RotationWatch, "begins" | "received" | "noted">;
};

/**
 * How a reading ended: the daemon ended its answer; a follow is too far behind to go on; or the limit passed.
 */
type ReadingEnd = "ended" | "late" | "over";

/**
 * Passes on the lines of a container's log after a position, each once. Rejects with a `LogError`, as `readLogs` does, or
 * when the connection breaks.
 */
export async function readContainerLog(daemon: Pick<DaemonApi, "readLogs">, reading: Reading): Promise<ReadingEnd> {
  const over = new AbortController();
  const limit = () => reading.clock.after(reading.limitMs, () => over.abort());
  let timer = limit();
  const limitAgain = (): void => {
    timer.cancel();
    timer = limit();
  };
  const signal = AbortSignal.any([reading.signal, over.signal]);
  try {
    return await read(daemon, { ...reading, signal }, () => isOfRunning(reading) && limitAgain());
  } catch (error) {
    if (over.signal.aborted && !reading.signal.aborted) return "over";
    throw error;
  } finally {
    timer.cancel();
  }
}

const TAIL_ENTRIES = 1_000;

async function read(
  daemon: Pick<DaemonApi, "readLogs">,
  reading: Reading,
  onChunk: () => unknown,
): Promise<ReadingEnd> {
  const { container, hasTerminal, after, how, signal, rotation } = reading;
  const chunks = await daemon.readLogs(container, {
    since: after ? sinceOf(after) : 0,
    follow: how === "follow",
    ...(how === "tail" && { tail: TAIL_ENTRIES }),
    signal,
  });
  const entries = hasTerminal ? splitTerminal() : splitFrames();
  const lines = makeLines(reading);
  try {
    for await (const chunk of chunks) {
      onChunk();
      const bytes = chunk as Buffer; // a stream without an encoding
      for (const entry of entries.push(bytes)) {
        const room = lines.take(entry);
        if (room) await room;
      }
      signal.throwIfAborted();
      if (lines.hasWholeSeconds()) await rotation.received(bytes.length);
      if (how === "follow" && lines.isLate()) return "late";
    }
    // A running container can be in the middle of a line, which is read again as a whole.
    if (!isOfRunning(reading)) {
      for (const entry of entries.end()) await lines.take(entry);
      await lines.end();
    }
    return "ended";
  } finally {
    chunks.destroy();
  }
}

function isOfRunning({ how }: Reading): boolean {
  return how === "follow" || how === "catch-up";
}

type Lines = {
  /** Undefined when the next entry may follow immediately. */
  readonly take: (entry: Entry) => Promise<void> | undefined;
  /** Whether the newest lines came late. */
  readonly isLate: () => boolean;
  readonly hasWholeSeconds: () => boolean;
  readonly end: () => Promise<void>;
};

/** Writes the lines after the position at which the reading began, and says what is missing before them. */
function makeLines({ container, after, how, write, onPosition, lag, rotation }: Reading): Lines {
  const streams = { out: makeStreamLines(after?.out), err: makeStreamLines(after?.err) };
  const gaps = makeGapNotes(after, streams, how === "tail" ? TOO_MANY : ROTATED);
  const readTime = makeTimeReader();
  const positions = makePositions(after, streams);
  let time = "";
  let written = "";

  function writeOne(stream: Stream, line: StreamLine, isLast = true): Promise<void> | undefined {
    written = gaps.newest();
    const position = positions(stream, line, isLast ? written : line.time);
    const now = { ...position, newest: written };
    onPosition(now);
    return write({ at: momentOf(line.time), text: line.text, cursor: cursorOf(container, now) });
  }

  async function writeAll(stream: Stream, lines: readonly StreamLine[]): Promise<void> {
    for (const [at, line] of lines.entries()) await writeOne(stream, line, at === lines.length - 1);
  }

  async function writeNote(text: string): Promise<void> {
    rotation.noted();
    await write({ at: momentOf(time), text: `[gantry] ${text}` });
  }

  return {
    take(entry) {
      if (!after && time === "") rotation.begins(entry);
      const { stream, bytes, ...timed } = readTime(entry);
      time = timed.time;
      const note = gaps.before(time);
      const lines = streams[stream].push(time, bytes);
      // Nearly always it is one line that is stored at once.
      const [line] = lines;
      if (note === undefined && lines.length <= 1) return line && writeOne(stream, line);
      return (note === undefined ? Promise.resolve() : writeNote(note)).then(() => writeAll(stream, lines));
    },
    hasWholeSeconds: () => hasWholeSeconds(time),
    isLate: () => written !== "" && lag.isLate(written),
    async end() {
      await writeAll("out", streams.out.end());
      await writeAll("err", streams.err.end());
    },
  };
}

type Stream = "out" | "err";

/** After an entry that completed several lines, reading again begins where they began: `from`. */
function makePositions(after: Position | undefined, { out, err }: Readonly<Record<Stream, StreamLines>>) {
  const stored = { out: after?.out ?? START, err: after?.err ?? START };
  return (stream: Stream, line: StreamLine, from: string): Omit<Position, "newest"> => {
    stored[stream] = line.position;
    const [first = from] = [from, out.unfinishedSince() ?? from, err.unfinishedSince() ?? from].toSorted();
    return { from: first, ...stored };
  };
}

const ROTATED = "lines before the next one can be missing: the container's log was rotated before they were read";
const TOO_MANY = "lines before the next one are missing: there were too many to read after the container's end";

type GapNotes = {
  /** A note for the log before the entry of this time, if something is missing there. */
  readonly before: (time: string) => string | undefined;
  /** The newest time of all entries. */
  readonly newest: () => string;
};

/** Finds what is missing in a log that is read from a position on; `why` is the note for it. */
function makeGapNotes(
  after: Position | undefined,
  { out, err }: Readonly<Record<Stream, Pick<EntryFilter, "isConnected">>>,
  why: string,
): GapNotes {
  let newest = after?.newest ?? "";
  let isConnected = after === undefined;

  /** The entry at the position is read again, unless the daemon deleted it. */
  function isComplete(): boolean {
    if (!after) return true;
    return (
      (out.isConnected() || !isReadAgain(after, after.out)) && (err.isConnected() || !isReadAgain(after, after.err))
    );
  }

  return {
    before(time) {
      if (time <= newest) {
        if (!isConnected || !isSetBack(time, newest)) return undefined;
        newest = time;
        return CLOCK;
      }
      newest = time;
      const isGap = !isConnected && !isComplete();
      isConnected = true;
      return isGap ? why : undefined;
    },
    newest: () => newest,
  };
}

const CLOCK = "the machine's clock was set back here: lines from then on can be missing or come twice";

function isReadAgain(after: Position, { time }: StreamPosition): boolean {
  return time !== "" && momentOf(time).getTime() >= sinceOf(after) * 1_000;
}

type Lag = {
  /** Whether entries are read so late, while the container goes on writing, that the daemon may skip some. */
  readonly isLate: (time: string) => boolean;
};

/** Times are compared with the earliest that an entry came, because the daemon's clock can differ from ours. */
export function makeLag(clock: Pick<Clock, "now">): Lag {
  let leastMs = Number.POSITIVE_INFINITY;
  return {
    isLate(time) {
      const ms = clock.now().getTime() - momentOf(time).getTime();
      leastMs = Math.min(leastMs, ms);
      return ms - leastMs > LATE_MS;
    },
  };
}

/** More than a whole second, because that is how exact Podman's times are. */
const LATE_MS = 2_500;
