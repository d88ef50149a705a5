import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import { adopter, isGantrys } from "../read/adoption.ts";
import { indexPods, podsOfDeployment, podsOfOwner } from "../read/pods.ts";
import { type ContainerSource, sourcesOf } from "./container-source.ts";
import { logKey } from "./log-keys.ts";

export type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "Job";

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
  // As the operations read them (read-kinds.ts): Gantry makes no StatefulSets and DaemonSets.
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
