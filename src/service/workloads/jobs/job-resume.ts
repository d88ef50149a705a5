import { exitPhrase } from "../lifecycle/exit-text.ts";
import type { Job, JobProgress } from "../state/job-store.ts";
import { readRecord, recordPath } from "./run-record.ts";
import type { RunRecord } from "./run-record-text.ts";

/** The progress of a job after an engine restart. */
export type Resumed = {
  readonly progress: JobProgress;
  /** Indexes of containers that have completed and must not run again. */
  readonly done: ReadonlySet<number>;
  /** Whether a run was interrupted and must start over. */
  readonly isInterrupted: boolean;
};

const LOST =
  "The run's record is missing, so it may have completed. It won't run again. To run it, create the job again.";

type ResumeOptions = {
  readonly dataDir: string;
  readonly now: string;
  readonly retries: number;
  /** Indexes of containers whose units still run. */
  readonly running: ReadonlySet<number>;
};

/**
 * Combines the database with the run records, which are newer if the engine died or the disk was full. A run without an
 * end whose unit is gone was interrupted before its program exited. Without a record, the job is not run again.
 */
export async function resume(job: Job, { dataDir, now, retries, running }: ResumeOptions): Promise<Resumed> {
  const before: JobProgress = job;
  const hasBegun = before.startedAt !== undefined;
  if (!job.hasRecords) return { progress: before, done: new Set(), isInterrupted: hasBegun };
  const records = await Promise.all(
    job.definition.containers.map((_, index) => readRecord(recordPath(dataDir, job.uid, index))),
  );
  const known = records.filter((record) => record !== undefined);
  if (known.length < records.length) {
    return {
      progress: ended(before, { outcome: "failed", reason: LOST, at: now }),
      done: new Set(),
      isInterrupted: false,
    };
  }
  const failures = Math.max(before.failures, ...known.map(failuresAfter));
  const done = new Set(known.flatMap((record, index) => (isSuccess(record) ? [index] : [])));
  const at = latestEnd(known) ?? now;
  const isInterrupted = known.some(
    ({ state }, index) => !running.has(index) && (state === "begun" || state === "interrupted"),
  );
  const lastExit = lastExitIn(known, failures) ?? before.lastExit;
  if (done.size === known.length) {
    return {
      progress: ended({ ...before, failures, lastExit }, { outcome: "complete", at }),
      done,
      isInterrupted: false,
    };
  }
  if (failures > retries) {
    return {
      progress: ended({ ...before, failures, lastExit }, { outcome: "failed", at }),
      done,
      isInterrupted: false,
    };
  }
  return { progress: { ...before, failures, lastExit }, done, isInterrupted };
}

/** Marks a job as over. Its end is never before its start, even if the clock was set back. */
export function ended(
  progress: JobProgress,
  { outcome, reason, at }: { outcome: "complete" | "failed"; reason?: string; at: string },
): JobProgress {
  const startedAt = progress.startedAt ?? at;
  return { ...progress, startedAt, endedAt: later(startedAt, at), outcome, reason };
}

/** The later of two moments; ISO 8601 in UTC sorts as text. */
export function later(left: string, right: string): string {
  return left > right ? left : right;
}

function isSuccess(record: RunRecord): boolean {
  return record.state === "ended" && record.code === 0;
}

/** Attempts count from 1. An attempt with unknown result counts only the earlier ones as failures. */
function failuresAfter(record: RunRecord): number {
  if (record.state === "reserved") return 0;
  return record.state === "ended" && record.code !== 0 ? record.attempt : record.attempt - 1;
}

/** How the attempt with this number ended, when the records hold it. */
function lastExitIn(records: readonly RunRecord[], attempt: number): string | undefined {
  const last = records.find((record) => record.state === "ended" && record.code !== 0 && record.attempt === attempt);
  return last?.state === "ended" ? exitPhrase({ code: last.code }) : undefined;
}

function latestEnd(records: readonly RunRecord[]): string | undefined {
  return records
    .flatMap((record) => (record.state === "ended" ? [record.at] : []))
    .toSorted()
    .at(-1);
}
