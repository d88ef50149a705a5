import type { EngineContext } from "../engine-context.ts";
import { admit, heldReason, reserveStopped, reserveStoppedAtEnd, type EngineParts } from "../engine-parts.ts";
import type { Job, JobProgress } from "../state/store.ts";
import type { RunRecord, Unit } from "../runtime.ts";
import { openJob, type Resumed } from "./live-job.ts";
import { reserveRecords, readRecord, recordPath, writeRecord } from "./run-record.ts";
import { exitTime, exitPhrase, lastStateOf } from "../lifecycle/exit.ts";
import { discardUnit } from "../lifecycle/keep-running.ts";
import { ended } from "./job-run.ts";

/**
 * Restores a job after an engine restart. Units that still run, or whose end nobody recorded, are adopted. An
 * interrupted job starts over in the same instance, like a container after a node restart; the interruption doesn't
 * count as a failure. A job that may have completed is not run again.
 */
export async function reviveJob(parts: EngineParts, job: Job, adopted: readonly Unit[]): Promise<void> {
  const { context } = parts;
  const units = new Set(adopted.map(({ labels }) => labels.container));
  const resumed = job.outcome === undefined ? await resume(job, context, units) : undefined;
  const onOver = reserveStoppedAtEnd(parts, job);
  reserveStopped(parts, job);
  if (!resumed || resumed.progress.outcome !== undefined) {
    parts.jobs.set(job.uid, openJob(job, { context, resumed, onOver }));
    endAll(adopted, context);
    return;
  }
  const held = await problemOf(parts, job);
  if (held !== undefined) {
    parts.jobs.set(job.uid, { username: job.username, name: job.name, job, held });
    endAll(adopted, context);
    return;
  }
  if (resumed.isInterrupted) {
    const { size } = resumed.done;
    const completed = size > 0 ? `; ${size} of its containers have completed and do not run again` : "";
    const line = `[gantry] interrupted by a restart of the engine: ${job.instance} runs again from the start${completed}`;
    context.logs.append(job.uid, job.instance, line);
  }
  const isOver = ({ labels }: Unit) => resumed.ended.has(labels.container);
  endAll(adopted.filter(isOver), context);
  parts.jobs.set(job.uid, openJob(job, { context, resumed, adopted: adopted.filter((unit) => !isOver(unit)), onOver }));
}

function endAll(units: readonly Unit[], context: EngineContext): void {
  for (const unit of units) context.inBackground(endLeftover(unit, context));
}

/** Why the job can't run now. */
async function problemOf(parts: EngineParts, job: Job): Promise<string | undefined> {
  try {
    admit(parts, job);
  } catch (error) {
    return heldReason(error);
  }
  try {
    await reserveRecords(parts.context.dataDir, job.uid, job.definition.containers.length);
    return undefined;
  } catch (error) {
    reserveStopped(parts, job);
    return `Its runs can't be recorded: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/**
 * Stops a unit of an earlier server that nothing needs any more, and removes what is left of it. If it is one of a job
 * and has completed, that is recorded first, so that the job never runs a second time.
 */
export async function endLeftover(unit: Unit, context: EngineContext): Promise<void> {
  const { workload, container } = unit.labels;
  await unit.stop();
  const exit = await unit.exited;
  const path = recordPath(context.dataDir, workload, container);
  // Only jobs have records.
  const record = exit.code === 0 ? await readRecord(path) : undefined;
  if (record?.state === "begun" || record?.state === "interrupted") {
    await writeRecord(path, {
      state: "ended",
      attempt: record.attempt,
      code: 0,
      at: exitTime(exit, context.clock.now()),
    });
  }
  await discardUnit(unit, context);
}

const LOST =
  "The run's record is missing, so it may have completed. It won't run again. To run it, create the job again.";

/**
 * Combines the database with the run records, which are newer if the engine died or the disk was full. `units` are the
 * indexes of containers that have a unit. A run without an end whose unit is gone was interrupted before its program
 * exited. Without a record, the job is not run again.
 */
async function resume(job: Job, context: EngineContext, units: ReadonlySet<number>): Promise<Resumed> {
  const { dataDir, clock, jobRetries: retries } = context;
  const now = clock.now().toISOString();
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
