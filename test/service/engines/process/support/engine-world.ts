import { setTimeout as pause } from "node:timers/promises";
import type { NewJob, NewService, ServiceUpdate } from "../../../../../src/api/schema.ts";
import { machineClock } from "../../../../../src/platform/clock.ts";
import type { Engine, OpenedEngine } from "../../../../../src/service/engine.ts";
import {
  openProcessEngine,
  type ProcessEngineOptions,
} from "../../../../../src/service/engines/process/process-engine.ts";
import { startOf } from "../../../../../src/service/engines/process/records/processes.ts";
import { DEADLINE_MS } from "../../../../support/until.ts";

/** So that a small machine does not refuse what a test asks for. */
export const roomy = { userInstances: 200, hostInstances: 200, userMemoryMib: 1_000_000, hostMemoryMib: 1_000_000 };

/** An engine with short intervals. */
export function openEngine(dataDir: string, options: Partial<ProcessEngineOptions> = {}): Promise<OpenedEngine> {
  return openProcessEngine({
    clock: machineClock,
    dataDir,
    regions: ["us", "beijing1"],
    graceMs: 2_000,
    backOffMs: { first: 20, max: 100 },
    readyAfterMs: 200,
    memoryPollMs: 50,
    quotas: roomy,
    ...options,
  });
}

export type LogQuery = { date?: string; from?: number; size?: number };

/** A line of a demo program without the time that it begins with. */
export function withoutTime(line: string): string {
  return line.replace(/^\d{4}-\d{2}-\d{2}T[\d:.]{12}Z /u, "");
}

/** One user of an engine, with short words for the operations. `waitUntil` is how it waits for a status. */
export function userOf(engine: Engine, username = "dana", region = "beijing1", waitUntil = until) {
  const user = { username };
  const none = { query: undefined, body: undefined, signal: new AbortController().signal };
  const service = (service_name: string) => ({ user, path: { region, service_name }, ...none });
  const job = (job_name: string) => ({ user, path: { region: "us", job_name }, ...none });
  return {
    create: (name: string, body: NewService) => engine.createService({ ...service(name), body }),
    read: (name: string) => engine.getService(service(name)),
    list: () => engine.listServices({ user, path: { region }, ...none }),
    update: (name: string, body: ServiceUpdate) => engine.updateService({ ...service(name), body }),
    start: (name: string) => engine.startService(service(name)),
    stop: (name: string) => engine.stopService(service(name)),
    restart: (name: string) => engine.restartService(service(name)),
    remove: (name: string) => engine.deleteService(service(name)),
    async logs(name: string, query: LogQuery = {}) {
      const lines = await engine.getServiceLogs({ ...service(name), query });
      return lines.map((line) => ({ ...line, log: withoutTime(line.log) }));
    },
    createJob: (name: string, body: NewJob) => engine.createJob({ ...job(name), body }),
    readJob: (name: string) => engine.getJob(job(name)),
    listJobs: () => engine.listJobs({ user, path: { region: "us" }, ...none }),
    removeJob: (name: string) => engine.deleteJob(job(name)),
    async jobLogs(name: string, query: LogQuery = {}) {
      const [instance_name = ""] = (await engine.getJob(job(name))).instance_names ?? [];
      const path = { ...job(name).path, instance_name };
      return (await engine.getJobInstanceLogs({ ...job(name), path, query })).map(withoutTime);
    },
    async reaches(name: string, status: string): Promise<void> {
      await waitUntil(
        async () => (await engine.getService(service(name))).status === status,
        `${name} to be ${status}`,
      );
    },
    async ends(name: string): Promise<void> {
      await waitUntil(async () => (await engine.getJob(job(name))).status?.conditions, `the job ${name} to end`);
    },
  };
}

/** Asks again and again until the answer is truthy, and returns it. */
export async function until<T>(ask: () => Promise<T> | T, what: string): Promise<Exclude<T, undefined | false>> {
  const since = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer) return answer as Exclude<T, undefined | false>; // it is truthy
    if (performance.now() - since > DEADLINE_MS) throw new Error(`waited too long for ${what}`);
    await pause(10);
  }
}

/** What a program of the workload says of itself: `process 123` in the greeting of gantry/hello-web. */
export async function greet(address: string | undefined): Promise<string> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(`http://${address}/`, { headers: { connection: "close" }, signal });
  return await response.text();
}

export function pidIn(greeting: string): number {
  return Number(/process (\d+)/.exec(greeting)?.[1]);
}

/** Whether the process runs; one that is dead and only waits to be collected by its parent does not. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await startOf(pid)) !== undefined;
}

export async function alive(pids: readonly number[]): Promise<number[]> {
  const states = await Promise.all(pids.map(isAlive));
  return pids.filter((_, index) => states[index]);
}
