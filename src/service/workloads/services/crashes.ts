import type { Clock } from "../../../platform/clock.ts";
import type { LastState } from "../../../api/schema.ts";
import { exitClause, exitTime, lastStateOf } from "../lifecycle/exit.ts";
import type { Exit } from "../runtime.ts";

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
