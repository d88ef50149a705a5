import { randomUUID } from "node:crypto";
import type { Answer } from "../../../../api/operations.ts";
import type { NewJob } from "../../../../api/schema.ts";
import { Refusal, type Engine, type EngineRequest } from "../../../engine.ts";
import { readJob } from "../../../workloads/definitions/job-definition.ts";
import { ensureJob } from "../../../workloads/definitions/stored-definition.ts";
import { createdJob } from "../../../workloads/jobs/job-answer.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { findCronJob } from "../read/jobs/find-cron-jobs.ts";
import { findJob, findJobs, jobNames } from "../read/jobs/find-jobs.ts";
import { labels } from "../names.ts";
import { isGantrys } from "../read/adoption.ts";
import type { Place } from "../read/place.ts";
import { refuseAdoptedJob, refuseCronJob } from "./adopted.ts";
import { isAnother } from "./delete-service.ts";
import { jobManifest } from "./job-manifest.ts";
import { podSettingsOf, refuseHostPath } from "./pod-security.ts";
import { manualRun } from "./run-cron-job.ts";
import { createOnce, isTaken, madeBy } from "./sent-once.ts";
import { cacheOf, newNamespace, newNotesOf, onJob, type Target, type WriteParts } from "./target.ts";

export function jobWrites(parts: WriteParts): Pick<Engine, "createJob" | "deleteJob"> {
  return {
    createJob: (request) =>
      onJob(
        parts,
        request,
        (target) => create(target, request),
        (place) => namespaceOfNew(place, request.body),
      ),
    deleteJob: (request) =>
      onJob(parts, request, remove, ({ region, reading }, name) => jobNames(region, reading).find(name)?.namespace),
  };
}

/** A run belongs to its CronJob, so it is in that namespace. */
function namespaceOfNew(place: Place, { from_cron_job: from }: NewJob): string {
  return (
    (from === undefined ? undefined : jobNames(place.region, place.reading).find(from)?.namespace) ??
    newNamespace(place)
  );
}

async function create(
  target: Target,
  { body }: Pick<EngineRequest<"createJob">, "body">,
): Promise<Answer<"createJob">> {
  const { region, reading, namespace, name } = target;
  const names = jobNames(region, reading);
  if (names.isTaken(name))
    throw nameTaken(
      target,
      names.all.find((each) => each.name === name),
    );
  const { body: manifest, request } =
    body.from_cron_job === undefined ? await ownJob(target, body) : manualRun(target, body.from_cron_job);
  const place = { kind: "Job", namespace } as const;
  const job = await createOnce(region.api, { place, name, body: manifest, isOurs: madeBy(request) }).catch(
    (error: unknown) => {
      if (isTaken(error)) throw nameTaken(target);
      throw refusalOf(error, { doing: `create the job ${name}`, wrote: true });
    },
  );
  cacheOf(target).saw("Job", job);
  // By its uid: another namespace may have the name by now.
  const made = findJobs(region, reading).find(({ object }) => object.metadata.uid === job.metadata.uid);
  if (!made) throw new Error(`the new job ${name} isn't in the cache`);
  return { job: createdJob(made.job, made.around) };
}

async function ownJob(target: Target, body: NewJob) {
  const { region, namespace, name, parts } = target;
  const definition = readJob(name, body, () => undefined);
  ensureJob(definition);
  const settings = await podSettingsOf(target);
  refuseHostPath(settings, target, definition);
  const request = randomUUID();
  const { hostPath } = region.config;
  const notes = newNotesOf(target);
  const made = { name, namespace, definition, settings, request, notes, retries: parts.jobRetries, hostPath };
  return { body: jobManifest(made), request };
}

type Named = ReturnType<typeof jobNames>["all"][number];

function nameTaken({ name, namespace }: Target, taken?: Named): Refusal {
  const isGantrysJob = taken?.item.kind === "Job" && isGantrys(taken.item.object.metadata, labels.job);
  const where = isGantrysJob
    ? ""
    : ` as a ${taken?.item.kind ?? "Job"} of the namespace ${taken?.namespace ?? namespace}`;
  return new Refusal(409, `a job named ${name} already exists${where}: choose another name`);
}

/** In the background: its pods end within their grace time. Without it they would be left behind. */
async function remove(target: Target): Promise<{ jobName: string }> {
  const { region, reading, name } = target;
  const job = findJob(region, { ...reading, name });
  const cronJob = job ? undefined : findCronJob(region, { ...reading, name });
  if (cronJob) refuseCronJob(cronJob);
  if (!job) throw new Refusal(404, `no job is named ${name}: check the name`);
  refuseAdoptedJob(job, region.config);
  const { metadata } = job.object;
  const named = { kind: "Job", namespace: metadata.namespace, name: metadata.name } as const;
  try {
    await region.api.delete(named, { propagation: "Background", uid: metadata.uid });
  } catch (error) {
    if (!isAnother(error)) throw refusalOf(error, { doing: `delete the job ${name}`, wrote: true });
  }
  cacheOf(target).sawDeleted("Job", metadata);
  return { jobName: name };
}
