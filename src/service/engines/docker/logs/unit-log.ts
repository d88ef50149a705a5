import type { Clock } from "../../../../platform/clock.ts";
import { type BackOff, delayAfter } from "../../../workloads/lifecycle/back-off.ts";
import type { LogReader } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import { DaemonError } from "../daemon/daemon-answers.ts";
import {
  LogError,
  momentOf,
  type Position,
  positionOf,
  cursorOf,
  sinceOf,
  START,
  type Entry,
  makeTimeReader,
  splitFrames,
  makeStreamLines,
  type StreamLine,
} from "./log-lines.ts";

type LogOptions = {
  readonly clock: Clock;
  readonly daemon: Pick<DaemonApi, "readLogs">;
};

type UnitLog = LogReader & {
  /** The whole id of the container: a cursor of another one is one of an earlier start. */
  readonly container: string;
  /** Aborted when the container has ended or is gone: what is left of its log is read then. */
  readonly ended: AbortSignal;
};

/** After an error. */
const BACK_OFF: BackOff = { first: 100, max: 10_000 };
/** Within this time the daemon tells that a container ended, when its log ended. */
const END_MS = 1_000;
/** A network connection can die silently. */
const IDLE_MS = 10 * 60_000;
/** The end of a container is reported when its last lines are stored. */
const REST_MS = 30_000;

/**
 * Passes on the output of a container from the line after a cursor, each line once, also while the daemon restarts.
 * Resolves, never rejects, when all lines up to the container's end were written, or when `signal` aborts.
 */
export async function followUnitLog({ clock, daemon }: LogOptions, log: UnitLog): Promise<void> {
  const { container, write, signal, ended } = log;
  const position = positionOf(container, log.after);
  const state: State = { position, isBehind: position !== undefined, isHurried: false, noted: undefined };
  const isLate = makeLag(clock);
  for (let failures = 0; !signal.aborted;) {
    const isLast = ended.aborted;
    try {
      const end = await readContainerLog(daemon, {
        clock,
        container,
        after: state.position,
        how: howToRead(state, isLast),
        write,
        signal: isLast ? signal : AbortSignal.any([signal, ended]),
        onPosition(at) {
          state.position = at;
          state.noted = undefined;
        },
        limitMs: isLast ? REST_MS : IDLE_MS,
        isLate,
      });
      if (isLast && end === "ended") return;
      failures = 0;
      const isEnd = end === "ended" && !state.isBehind;
      state.isBehind = end === "late";
      state.isHurried = isLast;
      if (isEnd) await pause(END_MS, { ...log, clock });
    } catch (error) {
      if (signal.aborted) return;
      // The follow was given up because the container ended: what is left is read now.
      if (!isLast && ended.aborted) continue;
      failures += 1;
      state.isBehind = true;
      if ((await isHopeless(error, { clock, log, state, failures })) && isLast) return;
      await pause(delayAfter(failures, BACK_OFF), { ...log, clock });
    }
  }
}

type State = {
  position: Position | undefined;
  /** There can be much to read before the newest line. */
  isBehind: boolean;
  /** The rest after the container's end is too much to be read. */
  isHurried: boolean;
  /** The last note about an error, so that it isn't repeated. */
  noted: string | undefined;
};

function howToRead({ isHurried, isBehind }: State, isLast: boolean): Reading["how"] {
  if (isLast) return isHurried ? "tail" : "rest";
  return isBehind ? "catch-up" : "follow";
}

/** More than a whole second, because that is how exact Podman's times are. */
const LATE_MS = 2_500;

/**
 * Whether entries of a time are read late. Times are compared with the earliest that an entry came, because the daemon's
 * clock can differ from ours.
 */
function makeLag(clock: Pick<Clock, "now">): Reading["isLate"] {
  let leastMs = Number.POSITIVE_INFINITY;
  return (time) => {
    const ms = clock.now().getTime() - momentOf(time).getTime();
    leastMs = Math.min(leastMs, ms);
    return ms - leastMs > LATE_MS;
  };
}

type Failure = { readonly clock: Clock; readonly log: UnitLog; readonly state: State; readonly failures: number };

/** How often an error of the log itself, which can be temporary, is seen before the rest counts as lost. */
const MAX_FAILURES = 5;

/** Whether what is left can't be read any more, which is noted. A daemon that is away is waited for. */
async function isHopeless(error: unknown, { clock, log, state, failures }: Failure): Promise<boolean> {
  const isGone = error instanceof DaemonError && error.status === 404;
  const isOfLog = error instanceof LogError || (error instanceof DaemonError && error.status !== undefined);
  if (!isGone && !(isOfLog && failures >= MAX_FAILURES)) return false;
  const text = isGone
    ? "the last lines can be missing: the container was removed before they were read"
    : `newer lines are missing: the container's log can't be read: ${error.message}`;
  if (state.noted !== text) await log.write({ at: clock.now(), text: `[gantry] ${text}` });
  state.noted = text;
  return true;
}

async function pause(ms: number, { clock, signal, ended }: UnitLog & { readonly clock: Clock }): Promise<void> {
  // After the end, only `signal` cuts a pause short.
  const cut = ended.aborted ? signal : AbortSignal.any([signal, ended]);
  await clock.sleep(ms, cut).catch(() => undefined);
}

export type Reading = {
  readonly clock: Pick<Clock, "after">;
  readonly container: string;
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
  /** Whether entries of this time are read so late that a follow may skip some. */
  readonly isLate: (time: string) => boolean;
};

const TAIL_ENTRIES = 1_000;

/**
 * Passes on the lines of a container's log after a position, each once. Resolves to how it ended: the daemon ended its
 * answer; a follow is too far behind to go on; or the limit passed. Rejects with a `LogError`, as `readLogs` does, or when
 * the connection breaks.
 */
export async function readContainerLog(
  daemon: Pick<DaemonApi, "readLogs">,
  reading: Reading,
): Promise<"ended" | "late" | "over"> {
  const { container, after, how, limitMs, isLate, clock } = reading;
  const isOfRunning = how === "follow" || how === "catch-up";
  const over = new AbortController();
  const limit = () => clock.after(limitMs, () => over.abort());
  let timer = limit();
  const signal = AbortSignal.any([reading.signal, over.signal]);
  const entriesIn = splitFrames();
  const lines = makeLines(reading);
  try {
    const query = { since: after ? sinceOf(after) : 0, follow: how === "follow", signal };
    const chunks = await daemon.readLogs(container, how === "tail" ? { ...query, tail: TAIL_ENTRIES } : query);
    for await (const chunk of chunks) {
      if (isOfRunning) {
        timer.cancel();
        timer = limit();
      }
      // a stream without an encoding
      for (const entry of entriesIn(chunk as Buffer)) {
        const room = lines.take(entry);
        if (room) await room;
      }
      signal.throwIfAborted();
      if (how === "follow" && lines.written() !== "" && isLate(lines.written())) return "late";
    }
    // A running container can be in the middle of a line, which is read again as a whole.
    if (!isOfRunning) await lines.end();
    return "ended";
  } catch (error) {
    if (over.signal.aborted && !reading.signal.aborted) return "over";
    throw error;
  } finally {
    timer.cancel();
  }
}

const ROTATED = "lines before the next one can be missing: the container's log was rotated before they were read";
const TOO_MANY = "lines before the next one are missing: there were too many to read after the container's end";

/** Writes the lines after the position at which the reading began, and says what is missing before them. */
function makeLines({ container, after, how, write, onPosition }: Reading) {
  const streams = { out: makeStreamLines(after?.out), err: makeStreamLines(after?.err) };
  const readTime = makeTimeReader();
  const stored = { out: after?.out ?? START, err: after?.err ?? START };
  let time = "";
  let written = "";
  let mayMiss = after !== undefined;

  function writeOne(stream: Stream, { time: began, text, mark }: StreamLine): Promise<void> | undefined {
    stored[stream] = mark;
    written = time;
    const from = [began, ...STREAMS.map((each) => streams[each].unfinishedSince() ?? began)].toSorted()[0] ?? began;
    const position = { from, ...stored };
    onPosition(position);
    return write({ at: momentOf(began), text, cursor: cursorOf(container, position) });
  }

  async function writeAll(stream: Stream, lines: readonly StreamLine[]): Promise<void> {
    for (const line of lines) await writeOne(stream, line);
  }

  /** The entries at the position come again before newer ones, unless the daemon deleted them. */
  function isGap(): boolean {
    if (!after || !mayMiss || STREAMS.some((stream) => time <= after[stream].time)) return false;
    mayMiss = false;
    const isReadAgain = (stream: Stream) => momentOf(after[stream].time).getTime() >= sinceOf(after) * 1_000;
    return STREAMS.some((stream) => !streams[stream].isConnected() && isReadAgain(stream));
  }

  return {
    /** Undefined when the next entry may follow immediately. */
    take(entry: Entry): Promise<void> | undefined {
      const { stream, bytes, ...timed } = readTime(entry);
      time = timed.time;
      const hasGap = isGap();
      const lines = streams[stream].push(time, bytes);
      // Nearly always it is one line that is stored at once.
      const [line] = lines;
      if (!hasGap && lines.length <= 1) return line && writeOne(stream, line);
      const note = hasGap && write({ at: momentOf(time), text: `[gantry] ${how === "tail" ? TOO_MANY : ROTATED}` });
      return Promise.resolve(note).then(() => writeAll(stream, lines));
    },
    /** The time of the newest line that was written; empty before the first one. */
    written: () => written,
    async end() {
      for (const stream of STREAMS) await writeAll(stream, streams[stream].end());
    },
  };
}

type Stream = "out" | "err";
const STREAMS: readonly Stream[] = ["out", "err"];
