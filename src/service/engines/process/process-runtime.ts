import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Kysely } from "kysely";
import type { Runtime, Unit } from "../../workloads/runtime.ts";
import { pathSegment } from "../../workloads/state/path-segment.ts";
import { withFileNamed } from "../../workloads/state/start-error.ts";
import { checkImage, type CatalogueEntry } from "./catalogue.ts";
import { startChild, type ChildDeps } from "./instances/child.ts";
import { enforcedMib, reservedMib } from "./instances/memory-limit.ts";
import { makeMemoryWatch } from "./instances/memory-watch.ts";
import { HOST } from "../../workloads/ports/local-port.ts";
import { makePortFronts } from "../../workloads/ports/port-fronts.ts";
import { volumeFolder, workFolder, workFolders } from "./records/host-folder.ts";
import { endProcesses, signalProcess } from "./records/orphans.ts";
import { forgetAllProcesses, recordedProcesses, type ProcessTables } from "./records/process-store.ts";
import { seeProcesses } from "./records/seen-process.ts";

export type ProcessRuntimeOptions = {
  readonly dataDir: string;
  readonly catalogue: readonly CatalogueEntry[];
  readonly graceMs: number;
  readonly memoryPollMs: number;
  /** Maximum number of forwarded connections. */
  readonly connections: number;
  readonly state: Kysely<ProcessTables>;
  readonly now: () => Date;
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
  const deps: ChildDeps = { ...options, memory: makeMemoryWatch(options.memoryPollMs) };
  const fronts = makePortFronts(HOST, options.connections);
  return {
    keepsUnits: false,
    check: (container, where) => checkImage(catalogue, container, where),
    reservedMib,
    enforcedMib: (limitMib) => (limitMib === undefined ? undefined : enforcedMib(limitMib)),
    start: (spec, note) => startChild(spec, deps, note),
    adopt: () => endEarlierProcesses(options),
    expose: fronts.open,
    volumePath: (source) => volumeFolder(dataDir, source),
    clear: (workload) => rm(workFolder(dataDir, workload), { recursive: true, force: true }),
    clearOthers: (kept) => removeOldFolders(options, kept),
    readiness: () => ({ ok: true }),
    close: fronts.close,
  };
}

/** Processes of an earlier server can't be adopted: they are ended, so that nothing runs twice. */
async function endEarlierProcesses({ state, dataDir, onEvent }: ProcessRuntimeOptions): Promise<readonly Unit[]> {
  const recorded = await withFileNamed(join(dataDir, "state.sqlite"), () => recordedProcesses(state));
  const found = await endProcesses(recorded, { see: seeProcesses, kill: signalProcess }, ORPHAN_GRACE_MS);
  if (found.length > 0) onEvent("processes of an earlier engine were ended", { pids: found });
  try {
    await forgetAllProcesses(state);
  } catch (error) {
    // A full disk. The next start searches for them again and finds none.
    onEvent("couldn't clear the list of an earlier engine's processes", { error });
  }
  return [];
}

/** Removes folders of workloads deleted just before the earlier server died. */
async function removeOldFolders({ dataDir, onEvent }: ProcessRuntimeOptions, kept: ReadonlySet<string>): Promise<void> {
  const known = new Set([...kept].map(pathSegment));
  const parent = workFolders(dataDir);
  const names = await readdir(parent).catch(() => []); // there is none before the first workload
  for (const name of names.filter((each) => !known.has(each))) {
    await rm(join(parent, name), { recursive: true, force: true }).catch((error: unknown) => {
      onEvent("couldn't remove the folder of a deleted workload", { error });
    });
  }
}
