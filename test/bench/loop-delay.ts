import { monitorEventLoopDelay } from "node:perf_hooks";

/** The pause between two looks at the event loop, in milliseconds; what a look comes later than that is its delay. */
const EVERY_MS = 2;

const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });

/** The delay of this process's event loop. */
export const loopDelayCalls = {
  beginDelay(): void {
    histogram.reset();
    histogram.enable();
  },
  /** p99 since `beginDelay`, in milliseconds. */
  endDelay(): number {
    histogram.disable();
    return Math.max(0, histogram.percentile(99) / 1e6 - EVERY_MS);
  },
};

export type LoopDelayCalls = typeof loopDelayCalls;
