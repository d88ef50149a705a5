import { duration, JOB_RETRIES } from "../lifecycle/back-off.ts";
import { startChild, type Child, type Exit } from "../../engines/process/instances/child.ts";
import type { Container } from "../definitions/container.ts";
import type { RunSurface } from "../engine-parts.ts";
import { jobVolume, workFolder } from "../../engines/process/records/host-folder.ts";
import { ended, later } from "./job-resume.ts";
import type { Job, JobProgress } from "../state/job-store.ts";
import { keepRunning, type Kept } from "../lifecycle/keep-running.ts";
import { recordPath, writeRecord } from "./run-record.ts";
import type { RunRecord } from "./run-record-text.ts";
import { hostVolumes } from "../../engines/process/instances/volumes.ts";

/** Jobs run there and nowhere else. */
export const JOB_REGION = "us";

/** The one instance of a job while it runs: all its containers, until each has exited with 0 or the retries are used up. */
export type JobRun = {
  /** Stops the processes. Unless all exit with 0, the job is neither complete nor failed and runs again later. */
  readonly stop: () => Promise<void>;
};

export type JobRunOptions = {
  readonly job: Job;
  readonly surface: RunSurface;
  /** Indexes of containers that completed under an earlier engine. */
  readonly done: ReadonlySet<number>;
  /** Called with each change of progress; must take effect immediately. */
  readonly report: (progress: JobProgress) => void;
};

type Run = Pick<JobRunOptions, "job" | "surface" | "report"> & {
  readonly kept: Map<number, Kept>;
  readonly unfinished: Set<number>;
  progress: JobProgress;
};

export function runJob({ job, surface, done, report }: JobRunOptions): JobRun {
  const run: Run = {
    job,
    surface,
    report,
    kept: new Map(),
    unfinished: new Set([...job.definition.containers.keys()].filter((index) => !done.has(index))),
    progress: { ...job, startedAt: job.startedAt ?? later(job.createdAt, moment(surface)) },
  };
  report(run.progress);
  for (const [index, container] of job.definition.containers.entries()) {
    if (run.unfinished.has(index)) run.kept.set(index, keepContainer(run, index, container));
  }
  return { stop: async () => void (await Promise.all([...run.kept.values()].map((kept) => kept.stop()))) };
}

function keepContainer(run: Run, index: number, container: Container): Kept {
  const { job, surface } = run;
  const path = recordPath(surface.dataDir, job.uid, index);
  let attempt = 0;
  return keepRunning({
    backOff: surface.backOff,
    start: (stopping) =>
      surface.spawns.run(() => {
        attempt = run.progress.failures + 1;
        return start(launchOf(run, container, { path, attempt }), surface);
      }, stopping),
    onStart: () => undefined,
    async onExit(exit, { delayMs }) {
      if (exit.isNeverStarted) return notStartedYet(run, exit, delayMs);
      await note(run, path, { state: "ended", attempt, code: exit.code, at: moment(surface) });
      return exit.code === 0 ? succeeded(run, index) : failed(run, exit, delayMs);
    },
    async onStopped(exit) {
      if (exit.isNeverStarted) return;
      if (exit.code !== 0) return await note(run, path, { state: "interrupted", attempt });
      // Exit code 0 means completed, even after a stop signal.
      await note(run, path, { state: "ended", attempt, code: 0, at: moment(surface) });
      succeeded(run, index);
    },
    onError: (error) => surface.onEvent("a job could not be run", { error, job: job.uid }),
  });
}

function moment({ now }: RunSurface): string {
  return now().toISOString();
}

function say({ job, surface }: Run, line: string): void {
  surface.logs.append(job.uid, job.instance, `[gantry] ${line}`);
}

function move(run: Run, progress: JobProgress): void {
  run.progress = progress;
  run.report(progress);
}

function succeeded(run: Run, index: number): "over" {
  run.unfinished.delete(index);
  const isOver = run.progress.outcome === undefined && run.unfinished.size === 0;
  if (isOver) move(run, ended(run.progress, { outcome: "complete", at: moment(run.surface) }));
  return "over";
}

/** The machine couldn't start a process; not a failure of the job. */
function notStartedYet(run: Run, { how }: Exit, delayMs: number): "again" {
  say(run, `${how}, tried again in ${duration(delayMs)}`);
  return "again";
}

function failed(run: Run, exit: Exit, delayMs: number): "again" | "over" {
  // Another container has used up the retries while this one ended.
  if (run.progress.outcome !== undefined) return "over";
  const failures = run.progress.failures + 1;
  const what = `attempt ${failures} ${exit.how}`;
  if (failures > JOB_RETRIES) {
    say(run, `${what}: the job has failed and is not tried again`);
    for (const kept of run.kept.values()) stopLater(kept);
    move(run, ended({ ...run.progress, failures }, { outcome: "failed", at: moment(run.surface) }));
    return "over";
  }
  say(run, `${what}, tried again in ${duration(delayMs)}`);
  move(run, { ...run.progress, failures });
  return "again";
}

/** Not awaited: the calling container is among them and would wait for itself. */
function stopLater(kept: Kept): void {
  void kept.stop();
}

type Attempt = { readonly path: string; readonly attempt: number };
type Launch = Parameters<typeof startChild>[0] & { readonly run: Attempt };

/** Records the run before starting its process, so a crash in between can't lose it. */
async function start(launch: Launch, surface: RunSurface): Promise<Child> {
  const { path, attempt } = launch.run;
  await writeRecord(path, { state: "begun", attempt });
  let child: Child | undefined;
  try {
    child = await startChild(launch, surface);
    return child;
  } finally {
    if (child?.pid === undefined) await writeRecord(path, { state: "interrupted", attempt });
  }
}

/** The process records its own end unless it was killed. A failed write is only logged. */
async function note({ job, surface }: Run, path: string, record: RunRecord): Promise<void> {
  try {
    await writeRecord(path, record);
  } catch (error) {
    surface.onEvent("couldn't record the end of a run", { error, job: job.uid });
  }
}

function launchOf({ job, surface: { dataDir } }: Run, container: Container, run: Attempt): Launch {
  const volumes = job.definition.volumes.map((name) => ({
    name,
    path: jobVolume(dataDir, job.username, name),
    readOnly: false,
  }));
  return {
    workload: job.uid,
    instance: job.instance,
    region: JOB_REGION,
    container,
    ports: new Map<number, number>(),
    volumes: hostVolumes(volumes, container),
    syncTimezone: job.definition.syncTimezone,
    workFolder: workFolder(dataDir, job.uid),
    run,
  };
}
