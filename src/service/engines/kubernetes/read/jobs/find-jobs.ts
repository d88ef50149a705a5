import type { KubeObject } from "../../cluster/kinds.ts";
import { labels } from "../../names.ts";
import { adopter, isGantrys } from "../adoption.ts";
import type { KnownRegion, Reading } from "../find-services.ts";
import type { FoundJob } from "./found-job.ts";
import { ownerOf } from "../owner.ts";
import { indexPods, type PodIndex, podsOfOwner } from "../pods.ts";
import { projectJob } from "./project-job.ts";

/** The jobs of a namespace in the order of their creation, from what its cache holds: await `current` first. */
export function findJobs(region: KnownRegion, reading: Reading): FoundJob[] {
  const pods = indexPods(region.cacheOf(reading.namespace).all("Pod"));
  return jobsOf(region, reading)
    .map((object) => foundJob(object, pods, reading))
    .toSorted(byCreation);
}

/** The job of this name. */
export function findJob(region: KnownRegion, reading: Reading & { readonly name: string }): FoundJob | undefined {
  const object = jobsOf(region, reading).find(({ metadata }) => metadata.name === reading.name);
  return object && foundJob(object, indexPods(region.cacheOf(reading.namespace).all("Pod")), reading);
}

/** Workloads that Gantry created, and those that the region adopts: with a CronJob all of its jobs. */
function jobsOf({ cacheOf, config }: KnownRegion, { namespace }: Reading): readonly KubeObject<"Job">[] {
  const adopts = adopter(config.adopt);
  const cache = cacheOf(namespace);
  const cronJobs = config.adopt.which === "none" ? [] : cache.all("CronJob");
  const adopted = new Set(cronJobs.filter(({ metadata }) => adopts(metadata)).map(({ metadata }) => metadata.uid));
  const isRun = ({ metadata }: KubeObject<"Job">) => metadata.ownerReferences.some(({ uid }) => adopted.has(uid));
  return cache.all("Job").filter((job) => isOwn(job) || adopts(job.metadata) || isRun(job));
}

function isOwn({ metadata }: KubeObject<"Job">): boolean {
  return isGantrys(metadata, labels.job);
}

function foundJob(object: KubeObject<"Job">, index: PodIndex, { username, now }: Reading): FoundJob {
  const { metadata } = object;
  const pods = podsOfOwner(metadata.uid, index).toSorted((left, right) => age(left) - age(right));
  return {
    object,
    ...projectJob(object, pods, { username, now }),
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
