import type { Clock } from "../../../../platform/clock.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import type { Region } from "../regions.ts";
import { adopter, controllerOf, isGantrys } from "./owner.ts";
import { findServices } from "./services.ts";
import { findJobs } from "./jobs.ts";
import type { Place } from "./place.ts";

type Where = Pick<Place, "reading"> & { readonly region: Pick<Region, "api" | "config" | "cacheOf"> };

/** A read that finds nothing doesn't wait longer for an answer that only explains it. */
const PATIENCE_MS = 1_500;

const MOST_ASKED = 5;

/** Kinds that Gantry runs or adopts. */
const RUN = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"] as const;

/**
 * What a name is that no service and no job has, as sentences: an Argo Rollout, a ReplicaSet or a pod. Undefined if it isn't
 * any of them, or if that can't be read: the rights are optional. Costs at most two requests for each of the first namespaces; never rejects.
 */
export async function otherKind(
  { region, reading }: Where,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  clock: Pick<Clock, "limit">,
): Promise<string | undefined> {
  if (region.config.adopt.workloads === "none") return undefined;
  const caches = reading.namespaces.map((namespace) => region.cacheOf(namespace));
  // The other operation has it.
  if (caches.some((cache) => RUN.some((kind) => cache.find(kind, name) !== undefined))) return undefined;
  const adopts = adopter(region.config.adopt);
  const pods = caches.flatMap((cache) => cache.find("Pod", name) ?? []);
  const pod = pods.find((each) => adopts(each.metadata) || isOfGantry(each));
  if (pod) return podWords(pod, { region, reading });
  if (pods.length > 0) return undefined;
  const within = AbortSignal.any([signal, clock.limit(PATIENCE_MS)]);
  const get = async <K extends "Rollout" | "ReplicaSet">(kind: K) => {
    const found = await Promise.all(
      reading.namespaces
        .slice(0, MOST_ASKED)
        .map((namespace) => region.api.get({ kind, namespace, name }, within).catch(() => undefined)),
    );
    return found.find((each) => each && adopts(each.metadata));
  };
  const [rollout, replicaSet] = await Promise.all([get("Rollout"), get("ReplicaSet")]);
  if (rollout) return `${name} is an Argo Rollout, which Gantry doesn't run. Use kubectl argo rollouts.`;
  if (!replicaSet) return undefined;
  const owner = controllerOf(replicaSet.metadata);
  if (owner) return `${name} is a ReplicaSet of the ${owner.kind} ${owner.name}. Ask for ${owner.name}.`;
  return `${name} is a ReplicaSet without a Deployment, which Gantry doesn't run. Use kubectl, or make a Deployment of it.`;
}

function isOfGantry({ metadata }: KubeObject<"Pod">): boolean {
  return [labels.service, labels.job].some((label) => {
    return isGantrys({ name: metadata.labels[label] ?? "", labels: metadata.labels }, label);
  });
}

function podWords({ metadata }: KubeObject<"Pod">, { region, reading }: Where): string {
  const { name, uid } = metadata;
  const has = ({ pods }: { readonly pods: readonly KubeObject<"Pod">[] }) =>
    pods.some((pod) => pod.metadata.uid === uid);
  const service = findServices(region, reading).find(has)?.service.name;
  if (service !== undefined) return `${name} is an instance of the service ${service}. Ask for ${service}.`;
  const job = findJobs(region, reading).find(has)?.job.name;
  if (job !== undefined) return `${name} is an instance of the job ${job}. Ask for ${job}.`;
  const owner = controllerOf(metadata);
  if (owner) return `${name} is a pod of the ${owner.kind} ${owner.name}, which Gantry doesn't run. Use kubectl.`;
  return `${name} is a pod without a Deployment or Job, which Gantry doesn't run. Use kubectl, or make a Deployment of it.`;
}
