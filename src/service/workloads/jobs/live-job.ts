import { rm } from "node:fs/promises";
import type { EngineContext } from "../engine-context.ts";
import type { LiveJob } from "../engine-parts.ts";
import { JOB_REGION, runJob, type JobRun } from "./job-run.ts";
import { attemptsText } from "./job-answer.ts";
import { saveProgress, type Job, type JobProgress } from "../state/store.ts";
import { keepTrying, type Trying } from "../lifecycle/back-off.ts";
import type { Unit } from "../runtime.ts";
import type { Unwell } from "../answer-fields.ts";
import { recordFolder } from "./run-record.ts";

/** The progress of a job after an engine restart. */
export type Resumed = {
  readonly progress: JobProgress;
  /** Indexes of containers that have completed and must not run again. */
  readonly done: ReadonlySet<number>;
  /** Whether a run was interrupted and must start over. */
  readonly isInterrupted: boolean;
  /** Indexes of containers whose last run has ended, as recorded: a unit of it has nothing more to tell. */
  readonly ended: ReadonlySet<number>;
  /** Indexes of containers whose last run was being stopped. */
  readonly stopped: ReadonlySet<number>;
};

type OpenJob = {
  readonly context: EngineContext;
  /** Progress under an earlier engine. */
  readonly resumed?: Resumed | undefined;
  /** Its units, of runs whose end isn't recorded. */
  readonly adopted?: readonly Unit[];
  readonly onOver: () => void;
};

/** Runs a job that is not over; one that is over only stays readable. */
export function openJob(saved: Job, { context, resumed, adopted = [], onOver }: OpenJob): LiveJob {
  const { username, name } = saved;
  const live: LiveJob = { username, name, job: { ...saved, ...resumed?.progress } };
  const save = saver(live, { context, onOver });
  if (live.job.outcome !== undefined) {
    if (saved.outcome === undefined) save();
    return live;
  }
  live.run = runJob({
    job: live.job,
    context,
    done: resumed?.done ?? new Set(),
    adopted,
    interrupted: new Set(adopted.map(({ labels }) => labels.container).filter((index) => resumed?.stopped.has(index))),
    report({ startedAt, endedAt, outcome, failures, lastExit, lastState, reason }, { isRecorded }) {
      const progress: JobProgress = { startedAt, endedAt, outcome, failures, lastExit, lastState, reason };
      const job = { ...live.job, ...progress, hasRecords: true };
      if (outcome !== undefined && !isRecorded) return save(job);
      live.job = job;
      save();
      if (outcome !== undefined) onOver();
    },
    waits(why) {
      live.waiting = why;
    },
  });
  return live;
}

/** How unwell a job is. Each failed attempt but one that used up the retries was followed by a restart. */
export function unwellOf({ job, held, waiting }: LiveJob): Unwell {
  const { outcome, failures, lastState, reason } = job;
  const isUsedUp = outcome === "failed" && reason === undefined;
  return {
    restartCount: Math.max(0, isUsedUp ? failures - 1 : failures),
    lastState,
    message:
      outcome === "complete"
        ? undefined
        : (held ?? reason ?? waiting ?? (failures > 0 ? attemptsText(job) : undefined)),
  };
}

/**
 * Updates memory immediately and the state file afterwards, later if the disk is full. Until then the run records
 * (run-record.ts) keep the job from running again. An end that no record has (`unrecorded`) is told when it is saved: after a
 * crash before that, nothing would know of it.
 */
function saver(live: LiveJob, { context, onOver }: Pick<OpenJob, "context" | "onOver">): (unrecorded?: Job) => void {
  let isDirty = false;
  let trying: Trying | undefined;
  let unrecorded: Job | undefined;
  const tell = (): void => context.changed({ username: live.username, region: JOB_REGION, kind: "job" });

  async function saveAll(): Promise<void> {
    while (isDirty) {
      isDirty = false;
      const end = unrecorded;
      try {
        const version = await saveProgress(context.state, end ?? live.job);
        live.job = { ...(end ?? live.job), version };
      } catch (error) {
        isDirty = true;
        throw error;
      }
      if (end === undefined) continue;
      unrecorded = undefined;
      live.waiting = undefined;
      tell();
      onOver();
    }
    trying = undefined;
  }

  return (end) => {
    isDirty = true;
    if (end !== undefined) {
      unrecorded = end;
      live.waiting = "It has ended; the outcome can't be saved yet.";
    }
    tell();
    if (trying) return;
    const mine = keepTrying(saveAll, context, { failed: "couldn't save a job; retrying", job: live.job.uid });
    trying = mine;
    // It may have stopped trying: then the next change gets a new one.
    context.inBackground(mine.over.then(() => (trying = trying === mine ? undefined : trying)));
  };
}

/** Stops a deleted job and removes its files. Idempotent. */
export async function clearJob(uid: string, run: JobRun | undefined, context: EngineContext): Promise<void> {
  await run?.stop();
  await context.logs.forget(uid);
  await context.runtime.clear(uid);
  await rm(recordFolder(context.dataDir, uid), { recursive: true, force: true });
}
