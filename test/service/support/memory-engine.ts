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

/**
 * An engine that runs nothing, but answers the 14 operations as one that does: small, at once and without traces. A
 * workload reaches the status that was asked for `settleMs` after the answer.
 */
export function memoryEngine(regions: readonly string[] = ["us", "beijing1"], settleMs = 20): MemoryEngine {
  const timers = new Set<NodeJS.Timeout>();
  const later = (work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, settleMs);
    timers.add(timer);
  };
  const services = memoryServices({ regions, later });
  const heartbeat = setInterval(() => services.heartbeat(), heartbeatMs);
  return {
    engine: { ...memoryJobs(later), ...services.engine },
    reach: (serviceUrl) => services.reach(serviceUrl),
    async close() {
      clearInterval(heartbeat);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
