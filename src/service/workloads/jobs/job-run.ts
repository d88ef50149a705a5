import { duration } from "../lifecycle/back-off.ts";
import type { Container } from "../definitions.ts";
import type { EngineContext } from "../engine-context.ts";
import type { Job, JobProgress } from "../state/store.ts";
import { exitClause, exitPhrase, exitTime, lateText, lastStateOf } from "../lifecycle/exit.ts";
import { keepRunning, type Kept, discardUnit, startInTurn, startUnit } from "../lifecycle/keep-running.ts";
import type { RunRecord, Exit, Unit, UnitSpec } from "../runtime.ts";
import { recordPath, writeRecord } from "./run-record.ts";
import { unawaited } from "../../../platform/waiting.ts";

/** The only region of jobs. */
export const JOB_REGION = "us";

export type JobRun = ReturnType<typeof runJob>;

type JobRunOptions = {
  readonly job: Job;
  readonly context: EngineContext;
  /** Indexes of containers that completed under an earlier engine. */
  readonly done: ReadonlySet<number>;
  /** Its units that an earlier engine left, of containers that aren't done. */
  readonly adopted: readonly Unit[];
  /** Indexes of adopted ones that an earlier engine was stopping. */
  readonly interrupted: ReadonlySet<number>;
  /** Called with each change of progress. `isRecorded`: the run records have it, so that it survives a crash. */
  readonly report: (progress: JobProgress, how: { readonly isRecorded: boolean }) => void;
  /** Called with why an attempt couldn't be started, and with undefined once one is. */
  readonly waits: (why: string | undefined) => void;
};

type Run = Omit<JobRunOptions, "done"> & {
  readonly kept: Map<number, Kept>;
  readonly unfinished: Set<number>;
  /** When the last of its units ended so far. */
  lastEnd: string;
  progress: JobProgress;
  /** Every end so far is in its record. */
  isRecorded: boolean;
};

/** The instance of a job while it runs: all its containers, until each has exited with 0 or the retries are used up. */
export function runJob({ done, ...options }: JobRunOptions) {
  const { job, context, report } = options;
  const startedAt = job.startedAt ?? later(job.createdAt, context.clock.now().toISOString());
  const run: Run = {
    ...options,
    lastEnd: startedAt,
    kept: new Map(),
    unfinished: new Set([...job.definition.containers.keys()].filter((index) => !done.has(index))),
    progress: { ...job, startedAt },
    isRecorded: true,
  };
  report(run.progress, run);
  for (const [index, container] of job.definition.containers.entries()) {
    if (run.unfinished.has(index)) run.kept.set(index, keepContainer(run, index, container));
  }
  const all = async (end: (kept: Kept) => Promise<void>) => void (await Promise.all([...run.kept.values()].map(end)));
  return {
    /** Stops the units. Unless all exit with 0, the job is neither complete nor failed and runs again later. */
    stop: () => all((kept) => kept.stop()),
    /** Leaves its units running. */
    leave: () => all((kept) => kept.leave()),
  };
}

function keepContainer(run: Run, index: number, container: Container): Kept {
  const { job, context } = run;
  const path = recordPath(context.dataDir, job.uid, index);
  // That of an adopted unit: no attempt of this job has failed since.
  let attempt = run.progress.failures + 1;
  /** The last start failed, or its surroundings ended it: why is the message of the job until one succeeds. */
  let isRetrying = false;
  let isInterrupted = run.interrupted.has(index);
  return keepRunning({
    clock: context.clock,
    backOff: context.backOff,
    adopted: run.adopted.find(({ labels }) => labels.container === index),
    start(stopping) {
      const spec = () => specOf(run, { container, index, attempt: { record: path, attempt } });
      const begin = () => {
        attempt = run.progress.failures + 1;
        return start(spec(), context);
      };
      return startInTurn(spec(), context, { begin, stopping, waits: (line) => !isRetrying && run.waits(line) });
    },
    onStart(unit) {
      isRetrying = false;
      run.waits(undefined);
      if (isInterrupted) unawaited(unit.stop(), (error) => context.onEvent("background work failed", { error }));
    },
    async onExit(exit, { delayMs }) {
      // The runtime couldn't start a unit, or took it down: not a failure of the job. One that completed meanwhile never
      // runs a second time.
      isRetrying = exit.startError !== undefined || (exit.surroundings !== undefined && exit.code !== 0);
      if (isRetrying) {
        run.waits(exitClause(exit));
        say(run, `${exitClause(exit)}, retrying in ${duration(delayMs)}`);
        return "again";
      }
      // An earlier engine was stopping it: unless it completed, its end says nothing about the job.
      if (isInterrupted && exit.code !== 0) {
        isInterrupted = false;
        return "again";
      }
      await noteEnd(run, { path, attempt, exit });
      return exit.code === 0 ? succeeded(run, index) : failed(run, exit, delayMs);
    },
    onStopped: (exit) => stopped(run, index, { path, attempt, exit }),
    discard: (unit) => discardUnit(unit, context),
    onError: (error) => context.onEvent("couldn't run a job", { error, job: job.uid }),
  });
}

function say({ job, context }: Run, line: string): void {
  context.logs.append(job.uid, job.instance, `[gantry] ${line}`);
}

function move(run: Run, progress: JobProgress): void {
  run.progress = progress;
  run.report(progress, run);
}

function succeeded(run: Run, index: number): "over" {
  run.unfinished.delete(index);
  const isOver = run.progress.outcome === undefined && run.unfinished.size === 0;
  if (isOver) move(run, ended(run.progress, { outcome: "complete", at: run.lastEnd }));
  return "over";
}

function failed(run: Run, exit: Exit, delayMs: number): "again" | "over" {
  // Another container has used up the retries while this one ended.
  if (run.progress.outcome !== undefined) return "over";
  const failures = run.progress.failures + 1;
  const now = run.context.clock.now();
  const at = exitTime(exit, now);
  const last = { lastExit: exitPhrase(exit), lastState: lastStateOf(exit, at) };
  const progress = { ...run.progress, failures, ...last };
  const what = `attempt ${failures} ${exitClause(exit)}${lateText(exit, now)}`;
  if (failures > run.context.jobRetries) {
    say(run, `${what}: the job failed and won't be retried`);
    for (const kept of run.kept.values()) {
      // Not awaited: the calling container is among them and would wait for itself.
      unawaited(kept.stop(), (error) => run.context.onEvent("background work failed", { error }));
    }
    move(run, ended(progress, { outcome: "failed", at }));
    return "over";
  }
  say(run, `${what}, retrying in ${duration(delayMs)}`);
  move(run, progress);
  return "again";
}

type Attempt = NonNullable<UnitSpec["run"]>;

/** Records the run before starting its unit, so a crash in between can't lose it. */
async function start(spec: UnitSpec & { readonly run: Attempt }, context: EngineContext): Promise<Unit> {
  const { record, attempt } = spec.run;
  await writeRecord(record, { state: "begun", attempt });
  try {
    return await startUnit(spec, context);
  } catch (error) {
    await writeRecord(record, { state: "interrupted", attempt });
    throw error;
  }
}

type End = { readonly path: string; readonly attempt: number; readonly exit: Exit };

async function stopped(run: Run, index: number, end: End): Promise<void> {
  const { path, attempt, exit } = end;
  if (exit.startError !== undefined) return;
  if (exit.code !== 0) return await note(run, path, { state: "interrupted", attempt });
  // Exit code 0 means completed, even after a stop signal.
  await noteEnd(run, end);
  succeeded(run, index);
}

async function noteEnd(run: Run, { path, attempt, exit }: End): Promise<void> {
  const at = exitTime(exit, run.context.clock.now());
  run.lastEnd = later(run.lastEnd, at);
  await note(run, path, { state: "ended", attempt, code: exit.code, at });
}

/** A program may have recorded its own end (UnitSpec.run). After a failed write, the job is over once the state file says so. */
async function note(run: Run, path: string, record: RunRecord): Promise<void> {
  const { job, context } = run;
  try {
    await writeRecord(path, record);
  } catch (error) {
    run.isRecorded = false;
    context.onEvent("couldn't record the end of a run", { error, job: job.uid });
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
