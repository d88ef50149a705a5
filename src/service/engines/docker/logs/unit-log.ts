import type { Clock } from "../../../../platform/clock.ts";
import { type BackOff, delayAfter } from "../../../workloads/lifecycle/back-off.ts";
import type { LogReader } from "../../../workloads/runtime.ts";
import type { DaemonApi } from "../daemon/daemon-client.ts";
import { DaemonError } from "../daemon/daemon-error.ts";
import { LogError, momentOf, type Position, positionOf } from "./log-entries.ts";
import { readContainerLog, type Reading } from "./log-reading.ts";

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
