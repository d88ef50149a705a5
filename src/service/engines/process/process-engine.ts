import { availableParallelism } from "node:os";
import type { Kysely } from "kysely";
import type { OpenedEngine } from "../../engine.ts";
import { openWorkloadEngine, type WorkloadOptions } from "../../workloads/workload-engine.ts";
import { makeCatalogue, type CatalogueEntry } from "./catalogue.ts";
import { connectionsFor, quotasFor, thisMachine, type QuotaSettings } from "../../workloads/machine/host-limits.ts";
import { processLimits } from "./limits.ts";
import { makeProcessRuntime } from "./process-runtime.ts";
import type { ProcessTables } from "./records/process-store.ts";

export type ProcessEngineOptions = WorkloadOptions & {
  /** Adds the image `host`, whose command is any program of this machine. */
  readonly allowHostCommands?: boolean;
  /** From SIGTERM to SIGKILL; 10 s. */
  readonly graceMs?: number;
  /** Interval of memory checks; 1 s. */
  readonly memoryPollMs?: number;
  /** Quotas per user and for this host; defaults in host-limits.ts. */
  readonly quotas?: QuotaSettings;
};

/** Its workloads end with the server: `keepsWorkloads` is always false. */
export type ProcessEngine = OpenedEngine & { readonly catalogue: readonly CatalogueEntry[] };

const MIN_STARTS_AT_ONCE = 2;

/**
 * Opens an engine that runs workloads as processes of this machine. Processes of an earlier engine on this folder are
 * ended, and its services run again. Throws when the system is neither Linux nor macOS, or another engine uses the
 * folder.
 */
export async function openProcessEngine(options: ProcessEngineOptions): Promise<ProcessEngine> {
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw new Error(
      `the process engine runs on Linux and macOS, not on ${process.platform}: set WORKLOAD_API_URL to another workload API`,
    );
  }
  const machine = thisMachine();
  const catalogue = makeCatalogue(options.allowHostCommands ?? false);
  const opened = await openWorkloadEngine(options, {
    about: { name: "process", title: "Node processes", version: process.version, cannot: processLimits },
    quotas: quotasFor(options.quotas ?? {}, machine),
    startsAtOnce: Math.max(MIN_STARTS_AT_ONCE, availableParallelism()),
    runtime: ({ state, ...deps }) =>
      makeProcessRuntime({
        ...deps,
        state: state as unknown as Kysely<ProcessTables>, // its table is in the same file, see process-store.ts
        catalogue,
        graceMs: options.graceMs ?? 10_000,
        memoryPollMs: options.memoryPollMs ?? 1_000,
        connections: connectionsFor(machine),
      }),
  });
  return { ...opened, catalogue };
}
