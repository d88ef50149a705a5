import { duration } from "../lifecycle/back-off.ts";
import type { Container } from "../definitions/container.ts";
import type { EngineDeps } from "../engine-parts.ts";
import { ended, later } from "./job-resume.ts";
import type { Job, JobProgress } from "../state/job-store.ts";
import { exitClause, exitPhrase } from "../lifecycle/exit-text.ts";
import { keepRunning, type Kept } from "../lifecycle/keep-running.ts";
import { startUnit } from "../lifecycle/start-unit.ts";
import type { Exit, Unit, UnitSpec } from "../runtime.ts";
import { recordPath, writeRecord } from "./run-record.ts";
import type { RunRecord } from "./run-record-text.ts";

/** The only region of jobs. */
export const JOB_REGION = "us";

/** The instance of a job while it runs: all its containers, until each has exited with 0 or the retries are used up. */
export type JobRun = {
  /** Stops the units. Unless all exit with 0, the job is neither complete nor failed and runs again later. */
  readonly stop: () => Promise<void>;
  /** Leaves its units running. */
  readonly leave: () => Promise<void>;
};

export type JobRunOptions = {
  readonly job: Job;
  readonly deps: EngineDeps;
  /** Indexes of containers that completed under an earlier engine. */
  readonly done: ReadonlySet<number>;
  /** Its units that an earlier engine left running. */
  readonly adopted: readonly Unit[];
  /** Called with each change of progress; must take effect immediately. */
  readonly report: (progress: JobProgress) => void;
};

type Run = Pick<JobRunOptions, "job" | "deps" | "adopted" | "report"> & {
  readonly kept: Map<number, Kept>;
  readonly unfinished: Set<number>;
  progress: JobProgress;
};

export function runJob({ job, deps, done, adopted, report }: JobRunOptions): JobRun {
  const run: Run = {
    job,
    deps,
    adopted,
    report,
    kept: new Map(),
    unfinished: new Set([...job.definition.containers.keys()].filter((index) => !done.has(index))),
    progress: { ...job, startedAt: job.startedAt ?? later(job.createdAt, moment(deps)) },
  };
  report(run.progress);
  for (const [index, container] of job.definition.containers.entries()) {
    if (run.unfinished.has(index)) run.kept.set(index, keepContainer(run, index, container));
  }
  const all = async (end: (kept: Kept) => Promise<void>) => void (await Promise.all([...run.kept.values()].map(end)));
  return { stop: () => all((kept) => kept.stop()), leave: () => all((kept) => kept.leave()) };
}

function keepContainer(run: Run, index: number, container: Container): Kept {
  const { job, deps } = run;
  const path = recordPath(deps.dataDir, job.uid, index);
  // That of an adopted unit: no attempt of this job has failed since.
  let attempt = run.progress.failures + 1;
  return keepRunning({
    backOff: deps.backOff,
    adopted: run.adopted.find(({ labels }) => labels.container === index),
    start: (stopping) =>
      deps.starts.run(() => {
        attempt = run.progress.failures + 1;
        return start(specOf(run, { container, index, attempt: { record: path, attempt } }), deps);
      }, stopping),
    onStart: () => undefined,
    async onExit(exit, { delayMs }) {
      if (exit.startError !== undefined) return notStartedYet(run, exit, delayMs);
      await note(run, path, { state: "ended", attempt, code: exit.code, at: moment(deps) });
      return exit.code === 0 ? succeeded(run, index) : failed(run, exit, delayMs);
    },
    async onStopped(exit) {
      if (exit.startError !== undefined) return;
      if (exit.code !== 0) return await note(run, path, { state: "interrupted", attempt });
      // Exit code 0 means completed, even after a stop signal.
      await note(run, path, { state: "ended", attempt, code: 0, at: moment(deps) });
      succeeded(run, index);
    },
    onError: (error) => deps.onEvent("couldn't run a job", { error, job: job.uid }),
  });
}

function moment({ now }: EngineDeps): string {
  return now().toISOString();
}

function say({ job, deps }: Run, line: string): void {
  deps.logs.append(job.uid, job.instance, `[gantry] ${line}`);
}

function move(run: Run, progress: JobProgress): void {
  run.progress = progress;
  run.report(progress);
}

function succeeded(run: Run, index: number): "over" {
  run.unfinished.delete(index);
  const isOver = run.progress.outcome === undefined && run.unfinished.size === 0;
  if (isOver) move(run, ended(run.progress, { outcome: "complete", at: moment(run.deps) }));
  return "over";
}

/** The runtime couldn't start a unit; not a failure of the job. */
function notStartedYet(run: Run, exit: Exit, delayMs: number): "again" {
  say(run, `${exitClause(exit)}, retrying in ${duration(delayMs)}`);
  return "again";
}

function failed(run: Run, exit: Exit, delayMs: number): "again" | "over" {
  // Another container has used up the retries while this one ended.
  if (run.progress.outcome !== undefined) return "over";
  const failures = run.progress.failures + 1;
  const lastExit = exitPhrase(exit);
  const what = `attempt ${failures} ${exitClause(exit)}`;
  if (failures > run.deps.jobRetries) {
    say(run, `${what}: the job failed and won't be retried`);
    for (const kept of run.kept.values()) stopLater(kept);
    move(run, ended({ ...run.progress, failures, lastExit }, { outcome: "failed", at: moment(run.deps) }));
    return "over";
  }
  say(run, `${what}, retrying in ${duration(delayMs)}`);
  move(run, { ...run.progress, failures, lastExit });
  return "again";
}

/** Not awaited: the calling container is among them and would wait for itself. */
function stopLater(kept: Kept): void {
  void kept.stop();
}

type Attempt = NonNullable<UnitSpec["run"]>;

/** Records the run before starting its unit, so a crash in between can't lose it. */
async function start(spec: UnitSpec & { readonly run: Attempt }, deps: EngineDeps): Promise<Unit> {
  const { record, attempt } = spec.run;
  await writeRecord(record, { state: "begun", attempt });
  try {
    return await startUnit(spec, deps);
  } catch (error) {
    await writeRecord(record, { state: "interrupted", attempt });
    throw error;
  }
}

/** A program may have recorded its own end (UnitSpec.run). A failed write is only logged. */
async function note({ job, deps }: Run, path: string, record: RunRecord): Promise<void> {
  try {
    await writeRecord(path, record);
  } catch (error) {
    deps.onEvent("couldn't record the end of a run", { error, job: job.uid });
  }
}

type Numbered = { readonly container: Container; readonly index: number; readonly attempt: Attempt };

function specOf({ job }: Run, { container, index, attempt }: Numbered) {
  const { uid, instance, username, definition } = job;
  const mounted = definition.volumes.filter((name) => container.mounts.some((mount) => mount.name === name));
  return {
    workload: uid,
    instance,
    container: index,
    generation: 0,
    username,
    region: JOB_REGION,
    definition: container,
    volumes: mounted.map((name) => ({ name, readOnly: false, source: { kind: "volume", username, name } as const })),
    ports: [],
    syncTimezone: definition.syncTimezone,
    run: attempt,
  };
}
