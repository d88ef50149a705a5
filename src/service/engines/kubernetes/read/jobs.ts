import type { AroundJob, JobRunFacts } from "../../../workloads/jobs/job-answer.ts";
import type { Job } from "../../../workloads/state/store.ts";
import type { KubeObject, Pod } from "../cluster/kinds.ts";
import type { Evidence } from "./evidence.ts";
import { type Owner, adopter, isGantrys, ownerOf, indexPods, type PodIndex, podsOfOwner } from "./owner.ts";
import { labels } from "../names.ts";
import type { KnownRegion, Reading } from "./services.ts";
import { byAge, nameApart, nameKindsApart, type WorkloadNames } from "./workload-names.ts";
import { containersOf, type PodTemplate, volumeName, isTimeZoneVolume, readRemembered } from "./containers.ts";
import { attemptsOf, failureOf, jobConditions, jobMessage } from "./job-status.ts";

/** A Job as a job of the API. */
export type FoundJob = {
  readonly object: KubeObject<"Job">;
  /** With `around`, as the shared answers take it (job-answer.ts). */
  readonly job: Job;
  readonly around: AroundJob;
  /** False for one that Gantry created. */
  readonly isAdopted: boolean;
  readonly owner: Owner | undefined;
  /** Its pods in the order of their creation; each is an instance. */
  readonly pods: readonly Pod[];
};

/** A Job, or an adopted CronJob, which is a job with a schedule. */
type Source =
  | { readonly kind: "Job"; readonly object: KubeObject<"Job"> }
  | { readonly kind: "CronJob"; readonly object: KubeObject<"CronJob"> };

/** The jobs of the namespaces in the order of their creation, from what their caches hold: await `current` first. */
export function findJobs(region: KnownRegion, reading: Reading): FoundJob[] {
  const pods = new Map(reading.namespaces.map((namespace) => [namespace, podsIn(region, namespace)]));
  return jobNames(region, reading)
    .all.flatMap(({ name, namespace, item }) =>
      item.kind === "Job"
        ? [foundJob({ name, object: item.object }, pods.get(namespace) ?? podsIn(region, namespace), reading)]
        : [],
    )
    .toSorted((left, right) => byAge(left.job, right.job));
}

/** The job of this name. Throws a `Refusal` 400 for a name that could mean another one: see workload-names.ts. */
export function findJob(region: KnownRegion, reading: Reading & { readonly name: string }): FoundJob | undefined {
  const named = jobNames(region, reading).find(reading.name);
  if (named?.item.kind !== "Job") return undefined;
  return foundJob({ name: named.name, object: named.item.object }, podsIn(region, named.namespace), reading);
}

function podsIn({ cacheOf }: KnownRegion, namespace: string): PodIndex {
  return indexPods(cacheOf(namespace).all("Pod"));
}

/** Jobs and CronJobs share their names in the API. */
export function jobNames(region: KnownRegion, { namespaces }: Reading): WorkloadNames<Source> {
  return nameApart(
    "job",
    namespaces.flatMap((namespace) => nameKindsApart(sourcesIn(region, namespace), namespace)),
  );
}

/** Workloads that Gantry created, and those that the region adopts: with a CronJob all of its jobs. */
function sourcesIn({ cacheOf, config }: KnownRegion, namespace: string): readonly Source[] {
  const adopts = adopter(config.adopt);
  const cache = cacheOf(namespace);
  const isAdopting = config.adopt.workloads !== "none";
  const cronJobs = isAdopting ? cache.all("CronJob").filter(({ metadata }) => adopts(metadata)) : [];
  const adopted = new Set(cronJobs.map(({ metadata }) => metadata.uid));
  const isRun = ({ metadata }: KubeObject<"Job">) => metadata.ownerReferences.some(({ uid }) => adopted.has(uid));
  const jobs = cache.all("Job").filter((job) => isOwn(job) || adopts(job.metadata) || isRun(job));
  return [
    ...jobs.map((object) => ({ kind: "Job" as const, object })),
    ...cronJobs.map((object) => ({ kind: "CronJob" as const, object })),
  ];
}

function isOwn({ metadata }: KubeObject<"Job">): boolean {
  return isGantrys(metadata, labels.job);
}

type Named = { readonly name: string; readonly object: KubeObject<"Job"> };

function foundJob({ name, object }: Named, index: PodIndex, reading: Reading): FoundJob {
  const { metadata } = object;
  const pods = podsOfOwner(metadata.uid, index).toSorted((left, right) => age(left) - age(right));
  return {
    object,
    ...projectJob(object, pods, { ...reading, name }),
    isAdopted: !isOwn(object),
    owner: ownerOf(metadata),
    pods,
  };
}

function age({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp);
}

/** A Job with its definition and how far it is, whoever wrote it. `pods`: in the order of their creation. */
export function projectJob(
  object: KubeObject<"Job">,
  pods: readonly Pod[],
  { name, username, ...evidence }: Evidence & { readonly name: string; readonly username: string },
): Pick<FoundJob, "job" | "around"> {
  const { metadata, spec, status } = object;
  const remembered = readRemembered(metadata.annotations);
  const volumes = spec.template.spec.volumes
    .filter(({ name }) => !isTimeZoneVolume(name, remembered))
    .map(({ name, hostPath }) => ({ name: volumeName(name, remembered), path: hostPath?.path }));
  const failed = failureOf(status);
  const attempts = attemptsOf(object, pods);
  const job: Job = {
    uid: metadata.uid,
    username,
    name,
    createdAt: metadata.creationTimestamp,
    version: Number(metadata.resourceVersion),
    instance: pods[0]?.metadata.name ?? metadata.name,
    definition: {
      containers: containersOf(spec.template, remembered),
      volumes: volumes.map(({ name }) => name),
      syncTimezone: remembered?.syncTimezone ?? false,
    },
    startedAt: status.startTime,
    endedAt: status.completionTime ?? (failed?.type === "Failed" ? failed.lastTransitionTime : undefined),
    outcome: failed ? "failed" : outcomeOf(object),
    failures: attempts.failures,
    lastExit: attempts.lastExit,
    lastState: attempts.lastState,
    reason: failed?.message,
    hasRecords: false,
  };
  const volumePath = (volume: string) => volumes.find(({ name }) => name === volume)?.path;
  const run = runOf(object, pods, job);
  const unwell = { restartCount: attempts.restarts, lastState: attempts.lastState };
  const message = jobMessage({ object, job, pods, run }, evidence);
  return {
    job,
    around: { volumePath, namespace: metadata.namespace, objectName: metadata.name, run, ...unwell, message },
  };
}

/** SuccessCriteriaMet comes earlier, while pods still end. */
function outcomeOf({ status }: KubeObject<"Job">): "complete" | undefined {
  return status.conditions.some(({ type, status }) => type === "Complete" && status === "True")
    ? "complete"
    : undefined;
}

/** A Job without `completions` is done when one pod succeeded. */
function runOf(object: KubeObject<"Job">, pods: readonly Pod[], job: Job): JobRunFacts {
  const { metadata, spec, status } = object;
  return {
    instances: pods.map(({ metadata }) => metadata.name),
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions ?? 1,
    conditions: jobConditions(object, job),
    active: status.active,
    succeeded: status.succeeded,
    // Gantry's own look as the API promises, however they are retried.
    template: isGantrys(metadata, labels.job) ? {} : templateOf(spec.template),
  };
}

function templateOf({ spec }: PodTemplate): JobRunFacts["template"] {
  const { restartPolicy, terminationGracePeriodSeconds, dnsPolicy, serviceAccountName } = spec;
  return {
    ...(restartPolicy !== undefined && { restartPolicy }),
    ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
    ...(dnsPolicy !== undefined && { dnsPolicy }),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
  };
}
