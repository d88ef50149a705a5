import { randomUUID } from "node:crypto";
import type { Answer } from "../../../../api/operations.ts";
import type { NewJob } from "../../../../api/schema.ts";
import { Refusal, type Engine, type EngineRequest } from "../../../engine.ts";
import { readJob } from "../../../workloads/definitions/job-definition.ts";
import { ensureJob } from "../../../workloads/definitions/stored-definition.ts";
import { createdJob } from "../../../workloads/jobs/job-answer.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { findCronJob } from "../read/jobs/find-cron-jobs.ts";
import { findJob } from "../read/jobs/find-jobs.ts";
import type { FoundJob } from "../read/jobs/found-job.ts";
import { refuseAdoptedJob, refuseCronJob } from "./adopted.ts";
import { isAnother } from "./delete-service.ts";
import { jobManifest } from "./job-manifest.ts";
import { manualRun } from "./run-cron-job.ts";
import { createOnce, isTaken, madeBy } from "./sent-once.ts";
import { cacheOf, newNotesOf, onJob, type Target, type WriteParts } from "./target.ts";

export function jobWrites(parts: WriteParts): Pick<Engine, "createJob" | "deleteJob"> {
  return {
    createJob: (request) => onJob(parts, request, (target) => create(target, request)),
    deleteJob: (request) => onJob(parts, request, remove),
  };
}

async function create(
  target: Target,
  { body }: Pick<EngineRequest<"createJob">, "body">,
): Promise<Answer<"createJob">> {
  const { region, reading, name } = target;
  const { namespace } = reading;
  const taken = found(target);
  if (taken) throw nameTaken(target, taken);
  const { body: manifest, request } =
    body.from_cron_job === undefined ? ownJob(target, body) : manualRun(target, body.from_cron_job);
  try {
    const place = { kind: "Job", namespace } as const;
    const job = await createOnce(region.api, { place, name, body: manifest, isOurs: madeBy(request) });
    cacheOf(target).saw("Job", job);
  } catch (error) {
    if (isTaken(error)) throw nameTaken(target);
    throw refusalOf(error, { doing: `create the job ${name}`, wrote: true });
  }
  const made = found(target);
  if (!made) throw new Error(`the new job ${name} isn't in the cache`);
  return { job: createdJob(made.job, made.around) };
}

function ownJob(target: Target, body: NewJob) {
  const { region, reading, name, parts } = target;
  const definition = readJob(name, body, () => undefined);
  ensureJob(definition);
  const request = randomUUID();
  const { namespace } = reading;
  const { hostPath } = region.config;
  const made = { name, namespace, definition, request, notes: newNotesOf(target), retries: parts.jobRetries, hostPath };
  return { body: jobManifest(made), request };
}

function found({ region, reading, name }: Target): FoundJob | undefined {
  return findJob(region, { ...reading, name });
}

function nameTaken({ name, reading }: Target, taken?: FoundJob): Refusal {
  const isOthers = taken === undefined || taken.isAdopted;
  const where = isOthers ? ` as a Job of the namespace ${reading.namespace}` : "";
  return new Refusal(409, `a job named ${name} already exists${where}: choose another name`);
}

/** In the background: its pods end within their grace time. Without it they would be left behind. */
async function remove(target: Target): Promise<{ jobName: string }> {
  const { region, reading, name } = target;
  const job = found(target);
  const cronJob = job ? undefined : findCronJob(region, { ...reading, name });
  if (cronJob) refuseCronJob(cronJob);
  if (!job) throw new Refusal(404, `no job is named ${name}: check the name`);
  refuseAdoptedJob(job, region.config);
  const { metadata } = job.object;
  const named = { kind: "Job", namespace: reading.namespace, name } as const;
  try {
    await region.api.delete(named, { propagation: "Background", uid: metadata.uid });
  } catch (error) {
    if (!isAnother(error)) throw refusalOf(error, { doing: `delete the job ${name}`, wrote: true });
  }
  cacheOf(target).sawDeleted("Job", metadata);
  return { jobName: name };
}
