import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EngineParts } from "./engine-parts.ts";
import { segment } from "./host-folder.ts";
import { allJobs } from "./job-store.ts";
import { reviveJob } from "./live-job.ts";
import { reviveService } from "./live-service.ts";
import { endProcesses, signalProcess } from "./orphans.ts";
import { forgetAllProcesses, recordedProcesses } from "./process-store.ts";
import { seeProcesses } from "./seen-process.ts";
import { carryOnDeletion } from "./service-operations.ts";
import { allServices } from "./service-store.ts";

/** Mostly they have gone by themselves (programs/lifeline.ts); the rest does not delay the start for long. */
const ORPHAN_GRACE_MS = 1_000;

/** Brings the engine back to what it remembers. First the processes of an earlier engine go, so that nothing runs twice. */
export async function recover(parts: EngineParts): Promise<void> {
  const { state, onEvent } = parts.surface;
  const found = await endProcesses(
    await recordedProcesses(state),
    { see: seeProcesses, kill: signalProcess },
    ORPHAN_GRACE_MS,
  );
  if (found.length > 0) onEvent("processes of an earlier engine were ended", { pids: found });
  await forgetAllProcesses(state);
  for (const service of await allServices(state)) {
    const live = await reviveService(service, parts.surface);
    parts.services.set(service.uid, live);
    if (service.deleting) carryOnDeletion(parts, live);
  }
  for (const job of await allJobs(state)) parts.jobs.set(job.uid, reviveJob(job, parts.surface));
  await removeOldWork(parts);
}

/** Working folders of jobs that were deleted just before the earlier engine died. */
async function removeOldWork({ surface, services, jobs }: EngineParts): Promise<void> {
  const known = new Set([...services.keys(), ...jobs.keys()].map(segment));
  const folder = join(surface.dataDir, "work");
  const names = await readdir(folder).catch(() => []); // there is none before the first workload
  for (const name of names) {
    if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
