import { admitJob, heldReason, reserveStopped, reserveStoppedAtEnd, type EngineParts } from "../engine-parts.ts";
import type { EngineContext } from "../engine-context.ts";
import { resume } from "./job-resume.ts";
import type { Job } from "../state/job-store.ts";
import type { Unit } from "../runtime.ts";
import { openJob } from "./live-job.ts";
import { reserveRecords, readRecord, recordPath, writeRecord } from "./run-record.ts";
import { exitTime } from "../lifecycle/exit.ts";
import { discardUnit } from "../lifecycle/start-unit.ts";

/**
 * Restores a job after an engine restart. Units that still run, or whose end nobody recorded, are adopted. An
 * interrupted job starts over in the same instance, like a container after a node restart; the interruption doesn't
 * count as a failure. A job that may have completed is not run again.
 */
export async function reviveJob(parts: EngineParts, job: Job, adopted: readonly Unit[]): Promise<void> {
  const { context } = parts;
  const units = new Set(adopted.map(({ labels }) => labels.container));
  const resumed =
    job.outcome === undefined
      ? await resume(job, {
          dataDir: context.dataDir,
          now: context.clock.now().toISOString(),
          retries: context.jobRetries,
          units,
        })
      : undefined;
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
    admitJob(parts, job);
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
