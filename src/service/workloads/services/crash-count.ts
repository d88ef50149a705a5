import type { LastState } from "../../../api/schema.ts";
import { exitClause } from "../lifecycle/exit-text.ts";
import { exitTime } from "../lifecycle/exit-time.ts";
import { lastStateOf } from "../lifecycle/last-state.ts";
import type { Exit } from "../runtime.ts";

/** The crashes of one instance. */
export type Crashes = {
  /** How often it ended and was started again; a start that failed is none. */
  readonly count: number;
  /** `how` is a clause: "web-1 exited with code 1". Without an `end` it never ran. */
  readonly last?: { readonly at: string; readonly end: LastState | undefined; readonly how: string };
};

export type CrashCount = {
  /** Returns the clause of this one. */
  readonly add: (exit: Exit) => string;
  readonly read: () => Crashes;
  readonly clear: () => void;
};

export function makeCrashCount(instance: string, now: () => Date): CrashCount {
  let crashes: Crashes = { count: 0 };
  return {
    add(exit) {
      const how = `${instance} ${exitClause(exit)}`;
      const at = exitTime(exit, now());
      const isEnd = exit.startError === undefined;
      const end = isEnd ? lastStateOf(exit, at) : crashes.last?.end;
      crashes = { count: crashes.count + (isEnd ? 1 : 0), last: { at, how, end } };
      return how;
    },
    read: () => crashes,
    clear() {
      crashes = { count: 0 };
    },
  };
}
