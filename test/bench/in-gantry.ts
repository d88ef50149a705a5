import { monitorEventLoopDelay } from "node:perf_hooks";
import { answerCalls } from "./remote.ts";

/** Loaded into the bot's process before the bot, to measure what only it can. */

/** The pause between two looks at the event loop, in milliseconds; what a look comes later than that is its delay. */
const EVERY_MS = 2;

const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });

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
};

export type InGantryCalls = typeof calls;

answerCalls(calls);
