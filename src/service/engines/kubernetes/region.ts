import type { LogWriter } from "../../workloads/logs/log-writer.ts";
import type { NamespaceCache } from "./cache/namespace-cache.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";
import type { KubeApi } from "./cluster/kube-api.ts";
import type { RegionNamespaces } from "./region-namespaces.ts";

/** One region: its cluster, and what is known of each namespace. */
export type Region = {
  readonly config: ClusterConfig;
  readonly api: KubeApi;
  readonly namespaces: RegionNamespaces;
  /** The cache of a namespace; opened with the first call, then shared. */
  readonly cacheOf: (namespace: string) => NamespaceCache;
};

/** Dependencies of the operations. Nothing in them is state of a workload: that is in the cluster and the log store. */
export type KubernetesParts = {
  readonly regions: ReadonlyMap<string, Region>;
  readonly logs: LogWriter;
  readonly now: () => Date;
  readonly onEvent: (message: string, data: object) => void;
};
