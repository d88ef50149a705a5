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
  /** Since `beginDelay`. */
  endDelay(): LoopDelay {
    histogram.disable();
    const delay = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - EVERY_MS);
    return { p99: delay(histogram.percentile(99)), longest: delay(histogram.max) };
  },
};

/** In milliseconds. */
export type LoopDelay = { readonly p99: number; readonly longest: number };

export type LoopDelayCalls = typeof loopDelayCalls;
