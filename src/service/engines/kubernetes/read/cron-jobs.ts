import { Cron } from "croner";
import type { Job as JobBody } from "../../../../api/schema.ts";
import type { Ownership } from "../../../workloads/answer-fields.ts";
import { readJob } from "../../../workloads/jobs/job-answer.ts";
import { type KubeObject, kinds } from "../cluster/kinds.ts";
import type { KnownRegion, Reading } from "./services.ts";
import { controllerOf, type Owner, ownerOf } from "./owner.ts";
import { findJobs, jobNames, type FoundJob, projectJob } from "./jobs.ts";

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

/** The adopted CronJobs of the namespaces, from what their caches hold: await `current` first. */
export function findCronJobs(region: KnownRegion, reading: Reading): FoundCronJob[] {
  const named = jobNames(region, reading).all.flatMap(({ name, item }) =>
    item.kind === "CronJob" ? [{ name, object: item.object }] : [],
  );
  if (named.length === 0) return [];
  // By the uid of the object that made it; empty if somebody did.
  const byOwner = Map.groupBy(findJobs(region, reading), ({ object }) => controllerOf(object.metadata)?.uid ?? "");
  return named
    .map(({ name, object }) => ({
      object,
      name,
      owner: ownerOf(object.metadata),
      jobs: byOwner.get(object.metadata.uid) ?? [],
    }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Throws a `Refusal` 400 for a name that could mean another one: see workload-names.ts. */
export function findCronJob(
  region: KnownRegion,
  reading: Reading & { readonly name: string },
): FoundCronJob | undefined {
  const named = jobNames(region, reading).find(reading.name);
  if (named?.item.kind !== "CronJob") return undefined;
  return findCronJobs(region, reading).find(({ name }) => name === named.name);
}

/** The Job that it makes next; undefined where Gantry can't read its template. */
export function nextJob({ object, name, jobs }: FoundCronJob): KubeObject<"Job"> | undefined {
  const { metadata, spec } = object;
  const active = jobs.filter(({ job }) => job.outcome === undefined).length;
  return kinds.Job.schema.safeParse({
    metadata: { ...metadata, name, ownerReferences: [] },
    spec: { ...spec.jobTemplate.spec, suspend: spec.suspend ?? false },
    status: { active },
  }).data;
}

/** The answer of the API about one. */
export function cronJobBody(found: FoundCronJob, reading: Reading, ownership: Ownership = {}): JobBody {
  const { object, name } = found;
  const { metadata, status } = object;
  const template = nextJob(found);
  const schedule = scheduleOf(found, reading.now);
  const objectKind = "CronJob";
  if (template === undefined) return { metadata: { name, uid: metadata.uid }, kubernetes_kind: objectKind, schedule };
  const { active } = template.status;
  const { job, around } = projectJob(template, [], { ...reading, name });
  // It is no job itself, so nothing of it can be missing or late.
  const { message: _, run, ...rest } = around;
  const body = readJob(job, { ...rest, ...(run && { run: { ...run, instances: [] } }) }, { ...ownership, objectKind });
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

type Schedule = {
  readonly schedule: string;
  /** Of the controller manager if undefined, which nobody can ask; most keep UTC. */
  readonly timeZone: string | undefined;
};

/** Longer ones are nobody's. */
const LONGEST = 200;
/** https://pkg.go.dev/github.com/robfig/cron/v3#hdr-Predefined_schedules */
const NAMED: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/**
 * When a CronJob runs next, as an ISO time; computed in UTC without a time zone. Undefined for a schedule that Kubernetes and
 * this may read differently, and for one that never runs again.
 */
export function nextRun({ schedule, timeZone = "UTC" }: Schedule, now: Date): string | undefined {
  const pattern = patternOf(schedule.trim());
  if (pattern === undefined) return undefined;
  try {
    return new Cron(pattern, { timezone: timeZone }).nextRun(now)?.toISOString();
  } catch {
    return undefined;
  }
}

/** Kubernetes takes five fields. `?` means any value there, and the present one to croner. */
function patternOf(schedule: string): string | undefined {
  if (schedule.length > LONGEST) return undefined;
  if (schedule.startsWith("@")) return NAMED.has(schedule) ? schedule : undefined;
  const fields = schedule.replaceAll("?", "*").split(/\s+/u);
  const [, , dayOfMonth = "", , dayOfWeek = ""] = fields;
  if (fields.length !== 5 || fields.some((field) => /[LW#+]/u.test(field.replaceAll(/[A-Za-z]{3}/gu, "")))) {
    return undefined;
  }
  // With a step, Kubernetes wants both days to match, and croner one of them.
  const isStepped = [dayOfMonth, dayOfWeek].some((field) => field.startsWith("*/"));
  return isStepped && dayOfMonth !== "*" && dayOfWeek !== "*" ? undefined : fields.join(" ");
}
