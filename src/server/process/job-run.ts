import { duration, JOB_RETRIES } from "./back-off.ts";
import { startChild, type Exit } from "./child.ts";
import type { Container } from "./container.ts";
import type { RunSurface } from "./engine-parts.ts";
import { jobVolume, workFolder } from "./host-folder.ts";
import type { Job, JobProgress } from "./job-store.ts";
import { keepRunning, type Kept } from "./keep-running.ts";
import { hostVolumes } from "./volumes.ts";

/** Jobs run there and nowhere else. */
export const JOB_REGION = "us";

/** The one instance of a job while it runs: all its containers, until each has exited with 0 or the retries are used up. */
export type JobRun = {
  /** Ends the processes; the job is neither complete nor failed then, and would run again from the start. */
  readonly stop: () => Promise<void>;
};

export type JobRunOptions = {
  readonly job: Job;
  readonly surface: RunSurface;
  /** Remembers how far the job is. */
  readonly save: (progress: JobProgress) => Promise<void>;
};

export function runJob({ job, surface, save }: JobRunOptions): JobRun {
  let progress: JobProgress = { ...job, startedAt: job.startedAt ?? surface.now().toISOString() };
  const unfinished = new Set(job.definition.containers);
  const say = (line: string) => surface.logs.append(job.uid, job.instance, `[gantry] ${line}`);

  async function step(change: Partial<JobProgress>): Promise<void> {
    progress = { ...progress, ...change };
    await save(progress);
  }

  async function succeeded(container: Container): Promise<"over"> {
    unfinished.delete(container);
    if (unfinished.size === 0) await step({ outcome: "complete", endedAt: surface.now().toISOString() });
    return "over";
  }

  async function failed(container: Container, exit: Exit, delayMs: number): Promise<"again" | "over"> {
    // Another container has used up the retries while this one ended.
    if (progress.outcome !== undefined) return "over";
    const failures = progress.failures + 1;
    const what = `attempt ${failures} ${exit.how}`;
    if (failures > JOB_RETRIES) {
      say(`${what}: the job has failed and is not tried again`);
      for (const [other, kept] of all) if (other !== container) void kept.stop();
      await step({ failures, outcome: "failed", endedAt: surface.now().toISOString() });
      return "over";
    }
    say(`${what}, tried again in ${duration(delayMs)}`);
    await step({ failures });
    return "again";
  }

  const keep = (container: Container): Kept =>
    keepRunning({
      backOff: surface.backOff,
      start: () => startChild(launchOf(job, container, { surface, attempt: progress.failures + 1 }), surface),
      onStart: () => undefined,
      onExit: (exit, { delayMs }) => (exit.code === 0 ? succeeded(container) : failed(container, exit, delayMs)),
      onError: (error) => surface.onEvent("a job could not be run", { error, job: job.uid }),
    });

  void step({}).catch((error: unknown) => surface.onEvent("a job could not be saved", { error, job: job.uid }));
  const all = new Map(job.definition.containers.map((container) => [container, keep(container)]));
  return { stop: async () => void (await Promise.all([...all.values()].map((kept) => kept.stop()))) };
}

function launchOf(job: Job, container: Container, how: { surface: RunSurface; attempt: number }) {
  const { dataDir } = how.surface;
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
    attempt: how.attempt,
  };
}
