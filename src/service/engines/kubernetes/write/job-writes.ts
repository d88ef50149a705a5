import { randomUUID } from "node:crypto";
import type { Answer } from "../../../../api/operations.ts";
import type { DeletedJob, NewJob } from "../../../../api/schema.ts";
import { Refusal, type Engine, type EngineRequest } from "../../../engine.ts";
import { readJob, type JobDefinition } from "../../../workloads/definitions.ts";
import { ensureJob } from "../../../workloads/definitions.ts";
import { createdJob, deletedJob } from "../../../workloads/jobs/job-answer.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { findCronJob } from "../read/cron-jobs.ts";
import { findJob, findJobs, jobNames } from "../read/jobs.ts";
import { indexPods, podsOfOwner, isGantrys } from "../read/owner.ts";
import { labels, annotations, MANAGED_BY, hostPathOf, podVolumeOf } from "../names.ts";
import { notFound } from "../read/place.ts";
import { refuseAdoptedDeletion, refuseCronJob, refuseSecondRun } from "./refused-operations.ts";
import {
  podSettingsOf,
  refuseHostPath,
  type PodSettings,
  podContainers,
  podDefaults,
  type PodVolume,
} from "./pod-template.ts";
import {
  createOnce,
  isAnother,
  isTaken,
  madeBy,
  isGoneSoon,
  cacheOf,
  newNamespace,
  newNotesOf,
  inTurn,
  type Target,
  type WriteParts,
} from "./target.ts";
import { timeZoneVolume, writeRemembered } from "../read/containers.ts";

export function jobWrites(parts: WriteParts): Pick<Engine, "createJob" | "deleteJob"> {
  return {
    createJob: (request) =>
      inTurn(parts, request, {
        noun: "job",
        name: request.path.job_name,
        work: (target) => create(target, request),
        namespaceOf(place) {
          // A run belongs to its CronJob, so it is in that namespace.
          const from = request.body.from_cron_job;
          const cronJob = from === undefined ? undefined : jobNames(place.region, place.reading).find(from);
          return cronJob?.namespace ?? newNamespace(place);
        },
      }),
    deleteJob: (request) =>
      inTurn(parts, request, {
        noun: "job",
        name: request.path.job_name,
        work: remove,
        namespaceOf: ({ region, reading }, name) => jobNames(region, reading).find(name)?.namespace,
      }),
  };
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
  const job = await createOnce(region.api, {
    place,
    name,
    body: manifest,
    isOurs: madeBy(request),
    clock: target.parts.clock,
  }).catch((error: unknown) => {
    if (isTaken(error)) throw nameTaken(target);
    throw refusalOf(error, { doing: `create the job ${name}`, wrote: true });
  });
  cacheOf(target).applyWrite("Job", job);
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
async function remove(target: Target): Promise<DeletedJob> {
  const { region, reading, name } = target;
  const job = findJob(region, { ...reading, name });
  const cronJob = job ? undefined : findCronJob(region, { ...reading, name });
  if (cronJob) refuseCronJob(cronJob);
  if (!job) throw new Refusal(404, `no job is named ${name}: check the name`);
  refuseAdoptedDeletion(job, region.config);
  const { metadata } = job.object;
  const named = { kind: "Job", namespace: metadata.namespace, name: metadata.name } as const;
  try {
    await region.api.delete(named, { propagation: "Background", uid: metadata.uid });
  } catch (error) {
    if (!isAnother(error)) throw refusalOf(error, { doing: `delete the job ${name}`, wrote: true });
  }
  const cache = cacheOf(target);
  cache.applyDelete("Job", metadata);
  const isThere = (): boolean =>
    podsOfOwner(metadata.uid, indexPods(cache.all("Pod"))).some(
      ({ status }) => status.phase !== "Succeeded" && status.phase !== "Failed",
    );
  return deletedJob(name, await isGoneSoon(target, "Pod", isThere));
}

type PlannedJob = {
  readonly name: string;
  readonly namespace: string;
  readonly definition: JobDefinition;
  readonly request: string;
  readonly settings: PodSettings;
  /** Further annotations. */
  readonly notes?: Readonly<Record<string, string>>;
  /** How many times a failed one is tried again. */
  readonly retries: number;
  /** Where volumes are on the nodes; only needed for a job with volumes. */
  readonly hostPath: string | undefined;
};

/** A Job, without apiVersion and kind. */
export function jobManifest(made: PlannedJob): object {
  const { name, namespace, definition, settings, request, notes, retries, hostPath = "" } = made;
  const own = { [labels.managedBy]: MANAGED_BY, [labels.name]: name, [labels.job]: name };
  const timeZone = definition.syncTimezone ? timeZoneVolume(name) : undefined;
  const volumes = definition.volumes.map((volume): PodVolume => {
    const path = hostPathOf(hostPath, namespace, volume);
    return { name: podVolumeOf(volume), hostPath: { path, type: "DirectoryOrCreate" } };
  });
  const remembered = {
    volumes: definition.volumes.map((volume) => ({ podVolume: podVolumeOf(volume), name: volume })),
    syncTimezone: definition.syncTimezone,
  };
  return {
    metadata: {
      name,
      labels: own,
      annotations: { [annotations.request]: request, ...notes, [annotations.remembered]: writeRemembered(remembered) },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: retries,
      template: {
        metadata: { labels: own },
        spec: {
          ...podDefaults(settings),
          restartPolicy: "OnFailure",
          containers: podContainers(definition.containers, {
            timeZone,
            probed: new Map(),
            preStopSeconds: 0,
            settings,
          }),
          volumes: [...volumes, ...(timeZone ? [timeZone] : [])],
        },
      },
    },
  };
}

/**
 * The Job for a run of a CronJob that somebody asked for, as `kubectl create job --from` makes it, without apiVersion and
 * kind, and the id of the request, which it carries. The CronJob's history limits count it, and its owner reference doesn't
 * block the deletion of the CronJob, which would need another right:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/kubectl/pkg/cmd/create/create_job.go
 */
function manualRun(target: Target, from: string): { readonly body: object; readonly request: string } {
  const { region, reading, name } = target;
  const found = findCronJob(region, { ...reading, name: from });
  if (!found) {
    const [unread = ""] = reading.namespaces.flatMap((namespace) => region.cacheOf(namespace).unread(["CronJob"]));
    throw notFound(target, `no CronJob is named ${from}: check the name. Nothing was changed. ${unread}`.trim());
  }
  const { metadata } = found.object;
  if (metadata.deletionTimestamp !== undefined) {
    throw new Refusal(409, `CronJob ${from} is being deleted. Nothing was changed.`);
  }
  refuseSecondRun(found);
  const request = randomUUID();
  const { jobTemplate } = found.object.spec;
  const { name: owner, uid } = metadata;
  const apiVersion = region.api.apiVersion("CronJob");
  const body = {
    metadata: {
      name,
      labels: jobTemplate.metadata?.labels ?? {},
      annotations: {
        ...jobTemplate.metadata?.annotations,
        "cronjob.kubernetes.io/instantiate": "manual",
        [annotations.request]: request,
        ...newNotesOf(target),
      },
      ownerReferences: [{ apiVersion, kind: "CronJob", name: owner, uid, controller: true }],
    },
    spec: jobTemplate.spec,
  };
  return { body, request };
}
