import { expect } from "vitest";
import type { Job, NewJobContainer } from "../../../src/api/schema.ts";
import type { World } from "./world.ts";

/** Creates a job; its name. */
export async function newJob({ get, newName }: World, container: NewJobContainer, more: object = {}): Promise<string> {
  const name = newName("job");
  await get("createJob", { name, body: { containers: [container], ...more } });
  return name;
}

/** The job as soon as it has that condition. */
export async function jobThatIs(world: World, name: string, type: "Complete" | "Failed"): Promise<Job> {
  return await world.until(
    () => world.get("getJob", { name }),
    (job) => job.status?.conditions?.some((condition) => condition.type === type) === true,
  );
}

/** A job with its only instance, which an engine may make a moment after the job. */
export async function startedJob({ get, until }: World, name: string): Promise<Job> {
  const job = await until(
    () => get("getJob", { name }),
    ({ instance_names: instances = [] }) => instances.length > 0,
  );
  expect(job.instance_names).toHaveLength(1);
  return job;
}

export async function instanceOf(world: World, name: string): Promise<string> {
  const { instance_names: instances = [] } = await startedJob(world, name);
  return String(instances[0]);
}

const completed = new WeakMap<World, Promise<Job>>();

/** A job that has ended well, the same one for all cases that only read. */
export function completedJob(world: World): Promise<Job> {
  const made = async () => await jobThatIs(world, await newJob(world, world.workloads.lines(2)), "Complete");
  const job = completed.get(world) ?? made();
  completed.set(world, job);
  return job;
}

/** Every line of the only instance of a job, once the line is there that its program writes last. */
export async function wholeLog(world: World, name: string, lastLine: string): Promise<readonly string[]> {
  const instance = await instanceOf(world, name);
  return await world.until(
    () => world.get("getJobInstanceLogs", { name, instance, query: { size: 1000 } }),
    (lines) => lines.some((line) => line.includes(lastLine)),
  );
}
