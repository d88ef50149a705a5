import { rm } from "node:fs/promises";
import type { RunSurface } from "../engine-parts.ts";
import { workFolder } from "../../engines/process/records/host-folder.ts";
import type { Resumed } from "./job-resume.ts";
import { runJob, type JobRun } from "./job-run.ts";
import { saveProgress, type Job, type JobProgress } from "../state/job-store.ts";
import { keepTrying, type Trying } from "../lifecycle/keep-trying.ts";
import { recordFolder } from "./run-record.ts";

/** A job of this engine: what is remembered of it, and what runs it unless it is over. */
export type LiveJob = {
  readonly username: string;
  readonly name: string;
  job: Job;
  /** Why an unfinished job is not running, as a sentence. */
  held?: string | undefined;
  run?: JobRun;
};

export type OpenJob = {
  readonly surface: RunSurface;
  /** Progress under an earlier engine. */
  readonly resumed?: Resumed | undefined;
  readonly onOver: () => void;
};

/** Runs a job that is not over; one that is over only stays readable. */
export function openJob(remembered: Job, { surface, resumed, onOver }: OpenJob): LiveJob {
  const { username, name } = remembered;
  const live: LiveJob = { username, name, job: { ...remembered, ...resumed?.progress } };
  const save = saver(live, surface);
  if (live.job.outcome !== undefined) {
    if (remembered.outcome === undefined) save();
    return live;
  }
  live.run = runJob({
    job: live.job,
    surface,
    done: resumed?.done ?? new Set(),
    report(progress) {
      live.job = { ...live.job, ...progressOf(progress), hasRecords: true };
      save();
      if (progress.outcome !== undefined) onOver();
    },
  });
  return live;
}

function progressOf({ startedAt, endedAt, outcome, failures, reason }: JobProgress): JobProgress {
  return { startedAt, endedAt, outcome, failures, reason };
}

/**
 * Updates memory immediately and the state file afterwards, later if the disk is full. Until then the run records
 * (run-record.ts) keep the job from running again.
 */
function saver(live: LiveJob, surface: RunSurface): () => void {
  let isDirty = false;
  let trying: Trying | undefined;

  async function saveAll(): Promise<void> {
    while (isDirty) {
      isDirty = false;
      try {
        const version = await saveProgress(surface.state, live.job.uid, live.job);
        live.job = { ...live.job, version };
      } catch (error) {
        isDirty = true;
        throw error;
      }
    }
    trying = undefined;
  }

  /** The previous one may have given up, so each change gets a new one. */
  async function forgetWhenOver(mine: Trying): Promise<void> {
    await mine.over;
    if (trying === mine) trying = undefined;
  }

  return () => {
    isDirty = true;
    if (trying) return;
    trying = keepTrying(saveAll, {
      closing: surface.closing,
      onFailure: (error) => surface.onEvent("couldn't save a job; retrying", { error, job: live.job.uid }),
    });
    surface.inBackground(forgetWhenOver(trying));
  };
}

/** Stops a deleted job and removes its files. Idempotent. */
export async function clearJob(uid: string, run: JobRun | undefined, surface: RunSurface): Promise<void> {
  await run?.stop();
  await surface.logs.forget(uid);
  await rm(workFolder(surface.dataDir, uid), { recursive: true, force: true });
  await rm(recordFolder(surface.dataDir, uid), { recursive: true, force: true });
}
