import { monitorEventLoopDelay } from "node:perf_hooks";
import { StatementSync } from "node:sqlite";
import { answerCalls } from "./remote.ts";

/** Loaded into the bot's process before the bot, to measure what only it can. */

/** The pause between two looks at the event loop, in milliseconds; what a look comes later than that is its delay. */
const EVERY_MS = 2;

const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });

const counted = { statements: 0, commits: 0 };

for (const method of ["all", "run"] as const) {
  const { [method]: original } = StatementSync.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  Object.defineProperty(StatementSync.prototype, method, {
    value: function counting(this: StatementSync, ...values: unknown[]) {
      if (this.sourceSQL === "commit") counted.commits += 1;
      else if (this.sourceSQL !== "begin") counted.statements += 1;
      return original?.apply(this, values);
    },
  });
}

const calls = {
  beginDelay(): void {
    histogram.reset();
    histogram.enable();
  },
  /** The longest since `beginDelay`, in milliseconds. */
  endDelay(): number {
    histogram.disable();
    return Math.max(0, histogram.max / 1e6 - EVERY_MS);
  },
  /** What SQLite has run so far; a transaction counts as its statements and one commit. */
  statements: () => ({ ...counted }),
};

export type InGantryCalls = typeof calls;

answerCalls(calls);
