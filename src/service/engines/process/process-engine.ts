import { availableParallelism } from "node:os";
import type { Kysely } from "kysely";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { OpenedEngine } from "../../engine.ts";
import { openWorkloadEngine, type WorkloadOptions } from "../../workloads/workload-engine.ts";
import { makeCatalogue, checkImage } from "./catalogue.ts";
import { connectionsFor, quotasFor, thisMachine, type QuotaSettings } from "../../workloads/quota.ts";
import { processEngine, processLimits } from "./descriptor.ts";
import {
  type ProcessTables,
  enforcedMib,
  makeMemoryWatch,
  reservedMib,
  volumeFolder,
  workFolder,
  workFolders,
  recordedProcesses,
  endProcesses,
  signalProcess,
  seeProcesses,
} from "./records/processes.ts";
import type { Runtime, Unit } from "../../workloads/runtime.ts";
import { removeOtherFolders, withFileNamed } from "../../workloads/state/data-folder.ts";
import { type ProcessDeps, startChild } from "./instances/child.ts";
import { HOST, makePortFronts } from "../../workloads/ports.ts";

export type ProcessEngineOptions = WorkloadOptions & {
  /** Adds the image `host`, whose command is any program of this machine. */
  readonly allowHostCommands?: boolean;
  /** From SIGTERM to SIGKILL; 10 s. */
  readonly graceMs?: number;
  /** Interval of memory checks; 1 s. */
  readonly memoryPollMs?: number;
  /** Quotas per user and for this host; defaults in quota.ts. */
  readonly quotas?: QuotaSettings;
};

const MIN_STARTS_AT_ONCE = 2;

/**
 * Opens an engine that runs workloads as processes of this machine, which end with the server. Processes of an earlier
 * engine on this folder are ended, and its services run again. Throws when the system is neither Linux nor macOS, or another engine uses the
 * folder.
 */
export async function openProcessEngine(options: ProcessEngineOptions): Promise<OpenedEngine> {
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw new Error(
      `the process engine runs on Linux and macOS, not on ${process.platform}: set WORKLOAD_API_URL to another workload API`,
    );
  }
  const machine = thisMachine();
  const catalogue = makeCatalogue(options.allowHostCommands ?? false);
  return await openWorkloadEngine(options, {
    about: {
      name: "process",
      title: processEngine.title,
      version: process.version,
      cannot: processLimits,
      images: catalogue,
    },
    quotas: quotasFor(options.quotas ?? {}, machine),
    startsAtOnce: Math.max(MIN_STARTS_AT_ONCE, availableParallelism()),
    runtime: ({ state, ...deps }) =>
      makeProcessRuntime({
        ...deps,
        state: state as unknown as Kysely<ProcessTables>, // its table is in the same file, see processes.ts
        catalogue,
        graceMs: options.graceMs ?? 10_000,
        memoryPollMs: options.memoryPollMs ?? 1_000,
        connections: connectionsFor(machine),
      }),
  });
}

export type ProcessRuntimeOptions = Omit<ProcessDeps, "memory"> & {
  readonly memoryPollMs: number;
  /** Maximum number of forwarded connections. */
  readonly connections: number;
  readonly onEvent: (message: string, data: object) => void;
};

/** Most programs have ended by themselves (programs/lifeline.ts); the others must not delay the start for long. */
const ORPHAN_GRACE_MS = 1_000;

/**
 * Runs units as processes of this machine. They end with the server, even after a `kill -9`, because their standard
 * input is a pipe from it: nobody else could read their output or stop them.
 */
export function makeProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const { dataDir, catalogue } = options;
  const deps = { ...options, memory: makeMemoryWatch(options.memoryPollMs, options.clock) };
  const fronts = makePortFronts(HOST, options.connections);
  return {
    keepsUnits: false,
    check: (container, where) => checkImage(catalogue, container, where),
    reservedMib,
    enforcedMib: (limitMib) => (limitMib === undefined ? undefined : enforcedMib(limitMib)),
    start: (spec, note) => startChild(spec, deps, note),
    adopt: () => endEarlierProcesses(options),
    expose: fronts.open,
    drained: fronts.drained,
    volumePath: (source) => volumeFolder(dataDir, source),
    clear: (workload) => rm(workFolder(dataDir, workload), { recursive: true, force: true }),
    clearOthers: (kept) => removeOtherFolders(workFolders(dataDir), kept, options.onEvent),
    readiness: () => ({ ok: true }),
    close: fronts.close,
  };
}

/** Processes of an earlier server can't be adopted: they are ended, so that nothing runs twice. */
async function endEarlierProcesses(options: ProcessRuntimeOptions): Promise<readonly Unit[]> {
  const { state, dataDir, clock, onEvent } = options;
  const recorded = await withFileNamed(join(dataDir, "state.sqlite"), () => recordedProcesses(state));
  const found = await endProcesses(recorded, { see: seeProcesses, kill: signalProcess, clock }, ORPHAN_GRACE_MS);
  if (found.length > 0) onEvent("processes of an earlier engine were ended", { pids: found });
  try {
    await state.deleteFrom("processes").execute();
  } catch (error) {
    // A full disk. The next start searches for them again and finds none.
    onEvent("couldn't clear the list of an earlier engine's processes", { error });
  }
  return [];
}
