import { type Clock, machineClock, type Timer } from "../../../src/platform/clock.ts";
import { unawaited } from "../../../src/platform/waiting.ts";
import { repeat } from "../../../src/platform/waiting.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { memoryJobs } from "./memory-jobs.ts";
import { memoryServices } from "./memory-services.ts";

export type MemoryEngine = {
  readonly engine: Engine;
  /** The answer of a running service at its `service_url`. */
  readonly reach: (serviceUrl: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

const heartbeatMs = 40;

type Options = { readonly regions?: readonly string[]; readonly settleMs?: number; readonly clock?: Clock };

/**
 * An engine that runs nothing, but answers the 14 operations as one that does: small, at once and without traces. A
 * workload reaches the status that was asked for `settleMs` after the answer.
 */
export function memoryEngine(options: Options = {}): MemoryEngine {
  const { regions = ["us", "beijing1"], settleMs = 20, clock = machineClock } = options;
  const timers = new Set<Timer>();
  const later = (work: () => void) => {
    const timer = clock.after(settleMs, () => {
      timers.delete(timer);
      work();
    });
    timers.add(timer);
  };
  const services = memoryServices({ regions, later, clock });
  const closing = new AbortController();
  unawaited(repeat(async () => services.heartbeat(), heartbeatMs, closing.signal, clock));
  return {
    engine: { ...memoryJobs(later, clock), ...services.engine },
    reach: (serviceUrl) => services.reach(serviceUrl),
    async close() {
      closing.abort();
      for (const timer of timers) timer.cancel();
    },
  };
}
