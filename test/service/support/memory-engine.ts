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

type Options = { readonly regions?: readonly string[]; readonly settleMs?: number; readonly now?: () => Date };

/**
 * An engine that runs nothing, but answers the 14 operations as one that does: small, at once and without traces. A
 * workload reaches the status that was asked for `settleMs` after the answer.
 */
export function memoryEngine(options: Options = {}): MemoryEngine {
  const { regions = ["us", "beijing1"], settleMs = 20, now = () => new Date() } = options;
  const timers = new Set<NodeJS.Timeout>();
  const later = (work: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, settleMs);
    timers.add(timer);
  };
  const services = memoryServices({ regions, later, now });
  const heartbeat = setInterval(() => services.heartbeat(), heartbeatMs);
  return {
    engine: { ...memoryJobs(later, now), ...services.engine },
    reach: (serviceUrl) => services.reach(serviceUrl),
    async close() {
      clearInterval(heartbeat);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
