import type { Job as JobBody } from "../../../../../api/schema.ts";
import { type Ownership } from "../../../../workloads/ownership.ts";
import { readJob } from "../../../../workloads/jobs/job-answer.ts";
import { type KubeObject, kinds } from "../../cluster/kinds.ts";
import { adopter } from "../adoption.ts";
import type { KnownRegion, Reading } from "../find-services.ts";
import type { Owner } from "../found-service.ts";
import { ownerOf } from "../owner.ts";
import { findJobs } from "./find-jobs.ts";
import type { FoundJob } from "./found-job.ts";
import { nextRun } from "./next-run.ts";
import { projectJob } from "./project-job.ts";

type CronJob = KubeObject<"CronJob">;

/** A CronJob as a job of the API that has a schedule. */
export type FoundCronJob = {
  readonly object: CronJob;
  /** In the API: a Job of the same name keeps it. */
  readonly name: string;
  readonly owner: Owner | undefined;
  /** Its jobs that exist, oldest first. */
  readonly jobs: readonly FoundJob[];
};

/** The adopted CronJobs of a namespace, from what its cache holds: await `current` first. */
export function findCronJobs(region: KnownRegion, reading: Reading): FoundCronJob[] {
  const { cacheOf, config } = region;
  if (config.adopt.which === "none") return [];
  const adopts = adopter(config.adopt);
  const cache = cacheOf(reading.namespace);
  const objects = cache.all("CronJob").filter(({ metadata }) => adopts(metadata));
  if (objects.length === 0) return [];
  const jobs = findJobs(region, reading);
  const names = new Set(jobs.map(({ job }) => job.name));
  const byOwner = Map.groupBy(jobs, ({ object }) => controllerOf(object));
  return objects.toSorted(byName).map((object) => {
    const { name } = object.metadata;
    return {
      object,
      name: names.has(name) ? `${name}.cronjob` : name,
      owner: ownerOf(object.metadata),
      jobs: byOwner.get(object.metadata.uid) ?? [],
    };
  });
}

export function findCronJob(
  region: KnownRegion,
  reading: Reading & { readonly name: string },
): FoundCronJob | undefined {
  return findCronJobs(region, reading).find(({ name }) => name === reading.name);
}

function byName({ metadata: left }: CronJob, { metadata: right }: CronJob): number {
  return left.name < right.name ? -1 : 1;
}

/** The uid of the object that made it; empty if somebody did. */
export function controllerOf({ metadata }: KubeObject<"Job">): string {
  return metadata.ownerReferences.find(({ controller }) => controller === true)?.uid ?? "";
}

/** The answer of the API about one. */
export function cronJobBody(found: FoundCronJob, { username, now }: Reading, ownership: Ownership = {}): JobBody {
  const { object, name, jobs } = found;
  const { metadata, spec, status } = object;
  const active = jobs.filter(({ job }) => job.outcome === undefined).length;
  const template = kinds.Job.schema.safeParse({
    metadata: { ...metadata, name, ownerReferences: [] },
    spec: { ...spec.jobTemplate.spec, suspend: spec.suspend ?? false },
    status: { active },
  });
  const schedule = scheduleOf(found, now);
  if (!template.success) return { metadata: { name, uid: metadata.uid }, schedule };
  const { job, around } = projectJob(template.data, [], { username, now });
  // It is no job itself, so nothing of it can be missing or late.
  const { message: _, run, ...rest } = around;
  const body = readJob(job, { ...rest, ...(run && { run: { ...run, instances: [] } }) }, ownership);
  const { instance_names: _none, ...listed } = body;
  const started = status?.lastScheduleTime;
  return {
    ...listed,
    metadata: {
      ...listed.metadata,
      selfLink: `/apis/batch/v1/namespaces/${metadata.namespace}/cronjobs/${metadata.name}`,
    },
    status: { ...listed.status, ...(active > 0 && started !== undefined && { startTime: started }) },
    schedule,
  };
}

function scheduleOf({ object, jobs }: FoundCronJob, now: Date): NonNullable<JobBody["schedule"]> {
  const { spec, status } = object;
  const { schedule, timeZone, suspend = false } = spec;
  const last = jobs.at(-1);
  const next = suspend ? undefined : nextRun({ schedule, timeZone }, now);
  const lastRun = last?.job.createdAt ?? status?.lastScheduleTime;
  return {
    cron: schedule,
    ...(timeZone !== undefined && { time_zone: timeZone }),
    suspended: suspend,
    ...(next !== undefined && { next_run: next }),
    ...(lastRun !== undefined && { last_run: lastRun }),
    ...(last && { last_job: last.job.name, last_result: last.job.outcome ?? "running" }),
  };
}
