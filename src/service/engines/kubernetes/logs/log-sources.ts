import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import { adopter, isGantrys } from "../read/owner.ts";
import { indexPods, podsOfDeployment, podsOfOwner } from "../read/pods.ts";
import type { Region } from "../regions.ts";
import type { LoggedWorkload } from "./region-logs.ts";
import { logKey } from "./stored-logs.ts";

type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "Job";

/** A workload whose log is collected. */
export type CollectedWorkload = {
  readonly key: string;
  readonly name: string;
  readonly createdAt: string;
  /** False for a job that ended: nothing writes into its log any more. */
  readonly isLive: boolean;
  readonly sources: readonly ContainerSource[];
};

type Pod = KubeObject<"Pod">;

/** The kinds of a namespace whose logs are collected. */
export function collectedKinds({ adopt, jobs }: Pick<ClusterConfig, "adopt" | "jobs">): readonly WorkloadKind[] {
  // As the operations read them (`serviceKinds`): Gantry makes no StatefulSets and DaemonSets.
  return [
    "Deployment",
    ...(adopt.which === "none" ? [] : (["StatefulSet", "DaemonSet"] as const)),
    ...(jobs ? (["Job"] as const) : []),
  ];
}

/** The workloads that exist for the API, with the containers of their pods, from what the cache holds. */
export function collectedWorkloads(cache: NamespaceCache, config: ClusterConfig): CollectedWorkload[] {
  const adopts = adopter(config.adopt);
  const pods = indexPods(cache.all("Pod"));
  const all = <K extends WorkloadKind>(kind: K) => (collectedKinds(config).includes(kind) ? cache.all(kind) : []);
  const found = (metadata: Pod["metadata"], isLive: boolean, of: readonly Pod[]): CollectedWorkload => {
    const key = logKey({ region: config.region, namespace: cache.namespace, uid: metadata.uid });
    const sources = of.flatMap((pod) => sourcesOf(key, pod));
    return { key, name: metadata.name, createdAt: metadata.creationTimestamp, isLive, sources };
  };
  return [
    ...all("Deployment")
      .filter(({ metadata }) => isGantrys(metadata, labels.service) || adopts(metadata))
      .map(({ metadata, spec }) =>
        found(metadata, true, podsOfDeployment({ metadata, selector: spec.selector }, pods)),
      ),
    ...[...all("StatefulSet"), ...all("DaemonSet")]
      .filter(({ metadata }) => adopts(metadata))
      .map(({ metadata }) => found(metadata, true, podsOfOwner(metadata.uid, pods))),
    ...all("Job")
      .filter(({ metadata }) => isGantrys(metadata, labels.job) || adopts(metadata))
      .map(({ metadata, status }) =>
        found(metadata, status.completionTime === undefined && status.active > 0, podsOfOwner(metadata.uid, pods)),
      ),
  ];
}

/** The names in the log store of all workloads that exist, whether or not they exist for the API. */
export function existingKeys(cache: NamespaceCache, config: ClusterConfig): Set<string> {
  const { region } = config;
  const kinds = collectedKinds(config);
  return new Set(
    kinds.flatMap((kind) =>
      cache.all(kind).map(({ metadata }) => logKey({ region, namespace: cache.namespace, uid: metadata.uid })),
    ),
  );
}

/** How a container is doing, as far as its log needs it. */
export type ContainerState = {
  /** How often it was restarted: each run has a log of its own, of which Kubernetes keeps the last two. */
  readonly run: number;
  /** `waiting` after an end: the last run can be read until the next one starts. */
  readonly is: "waiting" | "running" | "ended";
};

/** A container of a pod whose log is collected. */
export type ContainerSource = {
  /** The workload's name in the log store. */
  readonly workload: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly state: ContainerState;
  /** Its pod is being deleted: soon nothing can be read. */
  readonly isLeaving: boolean;
};

type Status = Pod["status"]["containerStatuses"][number];

/** The containers of a pod that have or had a run, init containers first. */
export function sourcesOf(workload: string, pod: Pod): ContainerSource[] {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const isLeaving = deletionTimestamp !== undefined;
  const statuses = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
  return statuses.flatMap((status) => {
    const state = stateOf(status);
    return state ? [{ workload, namespace, pod: name, podUid: uid, container: status.name, state, isLeaving }] : [];
  });
}

/** The containers of the pods whose lines a page shows, as far as these exist: of one instance, or of all. */
export function shownSources(
  { cacheOf }: Pick<Region, "cacheOf">,
  workload: LoggedWorkload,
  instance: string | undefined,
): ContainerSource[] {
  return cacheOf(workload.namespace)
    .all("Pod")
    .filter(({ metadata: { name } }) => (instance === undefined ? workload.pods.includes(name) : name === instance))
    .flatMap((pod) => sourcesOf(logKey(workload), pod));
}

/** Undefined while it hasn't run yet. */
function stateOf({ restartCount: run, state, lastState }: Status): ContainerState | undefined {
  if (state?.running) return { run, is: "running" };
  if (state?.terminated) return { run, is: "ended" };
  return lastState?.terminated ? { run, is: "waiting" } : undefined;
}
