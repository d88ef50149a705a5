import { exitPhrase, lastStateOf } from "../lifecycle/exit.ts";
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
  /** Indexes of containers whose last run has ended, as recorded: a unit of it has nothing more to tell. */
  readonly ended: ReadonlySet<number>;
  /** Indexes of containers whose last run was being stopped. */
  readonly stopped: ReadonlySet<number>;
};

const LOST =
  "The run's record is missing, so it may have completed. It won't run again. To run it, create the job again.";

type ResumeOptions = {
  readonly dataDir: string;
  readonly now: string;
  readonly retries: number;
  /** Indexes of containers that have a unit. */
  readonly units: ReadonlySet<number>;
};

/**
 * Combines the database with the run records, which are newer if the engine died or the disk was full. A run without an
 * end whose unit is gone was interrupted before its program exited. Without a record, the job is not run again.
 */
export async function resume(job: Job, { dataDir, now, retries, units }: ResumeOptions): Promise<Resumed> {
  const before: JobProgress = job;
  const hasBegun = before.startedAt !== undefined;
  if (!job.hasRecords) return { ...unknown, progress: before, isInterrupted: hasBegun };
  const records = await Promise.all(
    job.definition.containers.map((_, index) => readRecord(recordPath(dataDir, job.uid, index))),
  );
  const known = records.filter((record) => record !== undefined);
  if (known.length < records.length) {
    return { ...unknown, progress: ended(before, { outcome: "failed", reason: LOST, at: now }) };
  }
  const failures = Math.max(before.failures, ...known.map(failuresAfter));
  const runs = {
    done: where(known, (record) => record.state === "ended" && record.code === 0),
    ended: where(known, ({ state }) => state === "ended"),
    stopped: where(known, ({ state }) => state === "interrupted"),
  };
  const ends = known.flatMap((record) => (record.state === "ended" ? [record.at] : []));
  const at = ends.toSorted().at(-1) ?? now;
  const isInterrupted = known.some(
    ({ state }, index) => state === "interrupted" || (state === "begun" && !units.has(index)),
  );
  // The database knows more of an attempt that it counts, such as whether it ran out of memory.
  const isCounted = failures === before.failures && before.lastExit !== undefined;
  const last = { ...before, failures, ...(isCounted ? {} : lastEndIn(known, failures)) };
  if (runs.done.size === known.length) {
    return { ...runs, progress: ended(last, { outcome: "complete", at }), isInterrupted: false };
  }
  if (failures > retries) {
    return { ...runs, progress: ended(last, { outcome: "failed", at }), isInterrupted: false };
  }
  return { ...runs, progress: last, isInterrupted };
}

const unknown = { done: new Set<number>(), ended: new Set<number>(), stopped: new Set<number>(), isInterrupted: false };

function where(records: readonly RunRecord[], is: (record: RunRecord) => boolean): ReadonlySet<number> {
  return new Set(records.flatMap((record, index) => (is(record) ? [index] : [])));
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

/** Attempts count from 1. An attempt with unknown result counts only the earlier ones as failures. */
function failuresAfter(record: RunRecord): number {
  if (record.state === "reserved") return 0;
  return record.state === "ended" && record.code !== 0 ? record.attempt : record.attempt - 1;
}

/** How the attempt with this number ended, when the records hold it. */
function lastEndIn(records: readonly RunRecord[], attempt: number): Partial<JobProgress> {
  const last = records.find((record) => record.state === "ended" && record.code !== 0 && record.attempt === attempt);
  if (last?.state !== "ended") return {};
  const exit = { code: last.code };
  return { lastExit: exitPhrase(exit), lastState: lastStateOf(exit, last.at) };
}
