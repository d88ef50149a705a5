import { constants } from "node:os";
import type { Exit } from "../runtime.ts";
import type { LastState } from "../../../api/schema.ts";
import type { Clock } from "../../../platform/clock.ts";

/** How a unit ended, as a clause: "exited with code 137 (out of memory)". */
export function exitClause(exit: Exit): string {
  if (exit.startError !== undefined) return `couldn't be started: ${exit.startError}`;
  if (exit.surroundings !== undefined) return `ended while ${exit.surroundings}`;
  if (exit.isRemoved === true) return `was ${REMOVED}`;
  return exit.code === null ? `was ${killed(exit)}` : `exited with code ${exit.code}${cause(exit)}`;
}

/** The same as a phrase: "exit code 137 (out of memory)". */
export function exitPhrase(exit: Exit): string {
  if (exit.startError !== undefined) return `couldn't be started: ${exit.startError}`;
  if (exit.isRemoved === true) return REMOVED;
  return exit.code === null ? killed(exit) : `exit code ${exit.code}${cause(exit)}`;
}

const REMOVED = "removed outside Gantry";

function killed({ signal = "a signal" }: Exit): string {
  return `killed by ${signal}`;
}

function cause({ isOutOfMemory }: Exit): string {
  return isOutOfMemory === true ? " (out of memory)" : "";
}

/** When a unit ended, as its runtime knows it; otherwise now. */
export function exitTime({ at }: Exit, now: Date): string {
  return (at === undefined ? now : new Date(at)).toISOString();
}

/** An end noticed later than this happened while nobody looked. */
const LATE_MS = 10_000;

/** Follows a clause about an end that was noticed late: " at 2026-11-21 23:59:10 UTC". Empty for others. */
export function lateText(exit: Exit, now: Date): string {
  const at = exitTime(exit, now);
  if (now.getTime() - Date.parse(at) < LATE_MS) return "";
  return ` at ${at.slice(0, 19).replace("T", " ")} UTC`;
}

const signals: Readonly<Record<string, number>> = constants.signals;

/** How a unit ended, in the words and numbers of Kubernetes. */
export function lastStateOf(exit: Exit, finishedAt: string): LastState {
  // A shell reports a signal as 128 and its number, and so do Docker and Kubernetes.
  const number = signals[exit.signal ?? ""];
  const code = exit.code ?? (number === undefined ? undefined : 128 + number);
  return { reason: reasonOf(exit), ...(code !== undefined && { exit_code: code }), finished_at: finishedAt };
}

function reasonOf({ code, isOutOfMemory, startError }: Exit): string {
  if (startError !== undefined) return "StartError";
  if (isOutOfMemory === true) return "OOMKilled";
  return code === 0 ? "Completed" : "Error";
}

/** The crashes of one instance. */
export type Crashes = {
  /** How often it ended and was started again; a start that failed is none, nor is an end that says nothing about it. */
  readonly count: number;
  /** `how` is a clause: "web-1 exited with code 1". Without an `end` it never ran. */
  readonly last?: { readonly at: string; readonly end: LastState | undefined; readonly how: string };
};

export type CrashCount = ReturnType<typeof makeCrashCount>;

export function makeCrashCount(instance: string, clock: Pick<Clock, "now">) {
  let crashes: Crashes = { count: 0 };
  return {
    /** Returns the clause of this one. */
    add(exit: Exit) {
      const how = `${instance} ${exitClause(exit)}`;
      const at = exitTime(exit, clock.now());
      const counts = isCrash(exit);
      const end = counts ? lastStateOf(exit, at) : crashes.last?.end;
      crashes = { count: crashes.count + (counts ? 1 : 0), last: { at, how, end } };
      return how;
    },
    read: (): Crashes => crashes,
    clear() {
      crashes = { count: 0 };
    },
  };
}

/** Whether something ran and ended by itself. */
export function isCrash({ startError, surroundings }: Exit): boolean {
  return startError === undefined && surroundings === undefined;
}

/** The restarts after a crash of all instances of one service, as an answer holds them. */
export type Restarts = {
  readonly count: number;
  readonly first_at?: string;
  readonly last_at?: string;
  readonly last_reason?: string;
};

export type RestartHistory = ReturnType<typeof makeRestartHistory>;

const WINDOW_MS = 10 * 60_000;
/** A service of many instances that all crash; more are not counted. */
const MOST = 1_000;

/** Remembers the restarts of the last ten minutes, in memory only: a restart of the server forgets them. */
export function makeRestartHistory(clock: Pick<Clock, "now">) {
  let times: number[] = [];
  let lastReason = "";

  function forgetOld(): void {
    const from = clock.now().getTime() - WINDOW_MS;
    times = times.filter((at) => at > from).slice(-MOST);
  }

  return {
    /** `how` is a clause: "web-1 exited with code 1". */
    add: (how: string): void => {
      times.push(clock.now().getTime());
      lastReason = how;
      forgetOld();
    },
    recent: (): Restarts => {
      forgetOld();
      const [first] = times;
      const last = times.at(-1);
      if (first === undefined || last === undefined) return { count: 0 };
      return { count: times.length, first_at: isoOf(first), last_at: isoOf(last), last_reason: lastReason };
    },
    clear: (): void => {
      times = [];
    },
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
