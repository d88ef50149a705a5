import type { KubeObject } from "../../cluster/kinds.ts";
import { labels } from "../../names.ts";
import { adopter, isGantrys } from "../adoption.ts";
import type { KnownRegion, Reading } from "../find-services.ts";
import type { FoundJob } from "./found-job.ts";
import { ownerOf } from "../owner.ts";
import { indexPods, type PodIndex, podsOfOwner } from "../pods.ts";
import { projectJob } from "./project-job.ts";
import { type InNamespace, nameApart, type WorkloadNames } from "../workload-names.ts";

/** A Job, or an adopted CronJob, which is a job with a schedule. */
type Source =
  | { readonly kind: "Job"; readonly object: KubeObject<"Job"> }
  | { readonly kind: "CronJob"; readonly object: KubeObject<"CronJob"> };

type Known = Pick<KnownRegion, "config" | "cacheOf">;

/** The jobs of the namespaces in the order of their creation, from what their caches hold: await `current` first. */
export function findJobs(region: Known, reading: Reading): FoundJob[] {
  const pods = new Map(reading.namespaces.map((namespace) => [namespace, podsIn(region, namespace)]));
  return jobNames(region, reading)
    .all.flatMap(({ name, namespace, item }) =>
      item.kind === "Job"
        ? [foundJob({ name, object: item.object }, pods.get(namespace) ?? podsIn(region, namespace), reading)]
        : [],
    )
    .toSorted(byCreation);
}

/** The job of this name. Throws a `Refusal` 400 for a name that could mean another one: see workload-names.ts. */
export function findJob(region: Known, reading: Reading & { readonly name: string }): FoundJob | undefined {
  const named = jobNames(region, reading).find(reading.name);
  if (named?.item.kind !== "Job") return undefined;
  return foundJob({ name: named.name, object: named.item.object }, podsIn(region, named.namespace), reading);
}

function podsIn({ cacheOf }: Known, namespace: string): PodIndex {
  return indexPods(cacheOf(namespace).all("Pod"));
}

/** Jobs and CronJobs share their names in the API. A Job keeps its name, and the CronJob `nightly` is `nightly.cronjob` then. */
export function jobNames(region: Known, { namespaces }: Reading): WorkloadNames<Source> {
  return nameApart(
    "job",
    namespaces.flatMap((namespace) => {
      const jobs = jobsIn(region, namespace);
      const taken = new Set(jobs.map(({ metadata }) => metadata.name));
      const cronJobs = cronJobsIn(region, namespace).toSorted(byName);
      return [
        ...jobs.map((object): InNamespace<Source> => {
          return { name: object.metadata.name, namespace, item: { kind: "Job", object } };
        }),
        ...cronJobs.map((object): InNamespace<Source> => {
          let { name } = object.metadata;
          while (taken.has(name)) name += ".cronjob";
          taken.add(name);
          return { name, namespace, item: { kind: "CronJob", object } };
        }),
      ];
    }),
  );
}

function byName({ metadata: left }: KubeObject<"CronJob">, { metadata: right }: KubeObject<"CronJob">): number {
  return left.name < right.name ? -1 : 1;
}

/** Workloads that Gantry created, and those that the region adopts: with a CronJob all of its jobs. */
function jobsIn(region: Known, namespace: string): readonly KubeObject<"Job">[] {
  const { cacheOf, config } = region;
  const adopts = adopter(config.adopt);
  const adopted = new Set(cronJobsIn(region, namespace).map(({ metadata }) => metadata.uid));
  const isRun = ({ metadata }: KubeObject<"Job">) => metadata.ownerReferences.some(({ uid }) => adopted.has(uid));
  return cacheOf(namespace)
    .all("Job")
    .filter((job) => isOwn(job) || adopts(job.metadata) || isRun(job));
}

function cronJobsIn({ cacheOf, config }: Known, namespace: string): readonly KubeObject<"CronJob">[] {
  if (config.adopt.which === "none") return [];
  const adopts = adopter(config.adopt);
  return cacheOf(namespace)
    .all("CronJob")
    .filter(({ metadata }) => adopts(metadata));
}

function isOwn({ metadata }: KubeObject<"Job">): boolean {
  return isGantrys(metadata, labels.job);
}

type Named = { readonly name: string; readonly object: KubeObject<"Job"> };

function foundJob({ name, object }: Named, index: PodIndex, { username, now }: Reading): FoundJob {
  const { metadata } = object;
  const pods = podsOfOwner(metadata.uid, index).toSorted((left, right) => age(left) - age(right));
  return {
    object,
    ...projectJob(object, pods, { name, username, now }),
    isAdopted: !isOwn(object),
    owner: ownerOf(metadata),
    pods,
  };
}

function age({ metadata }: KubeObject<"Pod">): number {
  return Date.parse(metadata.creationTimestamp);
}

function byCreation({ job: left }: FoundJob, { job: right }: FoundJob): number {
  return Date.parse(left.createdAt) - Date.parse(right.createdAt) || (left.name < right.name ? -1 : 1);
}
