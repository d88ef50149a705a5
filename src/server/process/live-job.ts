import { rm } from "node:fs/promises";
import type { RunSurface } from "./engine-parts.ts";
import { workFolder } from "./host-folder.ts";
import { runJob, type JobRun } from "./job-run.ts";
import { saveProgress, type Job } from "./job-store.ts";

/** A job of this engine: what is remembered of it, and what runs it unless it is over. */
export type LiveJob = {
  readonly username: string;
  readonly name: string;
  job: Job;
  run?: JobRun;
};

/** Runs a job that is not over; one that is over only stays readable. */
export function openJob(job: Job, surface: RunSurface): LiveJob {
  const live: LiveJob = { username: job.username, name: job.name, job };
  if (job.outcome !== undefined) return live;
  live.run = runJob({
    job,
    surface,
    async save(progress) {
      const { startedAt, endedAt, outcome, failures } = progress;
      const version = await saveProgress(surface.state, job.uid, progress);
      live.job = { ...live.job, startedAt, endedAt, outcome, failures, version };
    },
  });
  return live;
}

/** Brings back a job after a restart of the engine: one that was interrupted runs again from the start, in the same
 * instance, as a container does whose node was restarted; the interruption is no failure. */
export function reviveJob(job: Job, surface: RunSurface): LiveJob {
  if (job.outcome === undefined && job.startedAt !== undefined) {
    const line = `[gantry] interrupted by a restart of the engine: ${job.instance} runs again from the start`;
    surface.logs.append(job.uid, job.instance, line);
  }
  return openJob(job, surface);
}

/** Ends what still runs of a deleted job and removes what it left. */
export async function clearJob({ job, run }: LiveJob, surface: RunSurface): Promise<void> {
  await surface.logs.forget(job.uid);
  await run?.stop();
  await rm(workFolder(surface.dataDir, job.uid), { recursive: true, force: true });
}
