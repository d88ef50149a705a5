import type {
  CachedKind,
  NamespaceCache,
} from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { kinds, type KubeObject } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import type { Region } from "../../../../../src/service/engines/kubernetes/region.ts";

/** An object as the API server sends it. */
export type Sent = { readonly kind: string };

/** A namespace in which these objects are known and nothing changes. */
export function cacheWith(sent: readonly Sent[]): NamespaceCache {
  const known = Map.groupBy(sent, ({ kind }) => kind);
  const all = <K extends CachedKind>(kind: K): readonly KubeObject<K>[] => {
    const { schema } = kinds[kind];
    return (known.get(kind) ?? []).map((object) => schema.parse(object) as KubeObject<K>); // the schema of this kind
  };
  const parsed = new Map<CachedKind, readonly KubeObject[]>();
  return {
    namespace: "team",
    kinds: new Set([
      "Deployment",
      "StatefulSet",
      "DaemonSet",
      "Job",
      "CronJob",
      "Pod",
      "Service",
      "Ingress",
      "HTTPRoute",
    ]),
    current: async () => undefined,
    unread: () => [],
    health: () => [],
    all: <K extends CachedKind>(kind: K) => {
      const objects = parsed.get(kind) ?? all(kind);
      parsed.set(kind, objects);
      return objects as readonly KubeObject<K>[]; // stored under their kind
    },
    find: (kind, name) => all(kind).find(({ metadata }) => metadata.name === name),
    saw: () => undefined,
    sawDeleted: () => undefined,
    onChange: () => () => undefined,
    close: async () => undefined,
  };
}

export const config: ClusterConfig = {
  region: "us",
  kubeconfig: "default",
  context: undefined,
  namespaceOf: () => "team",
  domains: { kind: "none" },
  ports: { kind: "cluster" },
  disks: undefined,
  hostPath: undefined,
  jobs: true,
  adopt: { which: "all", allow: [] },
};

/** A region whose only namespace holds these objects. */
export function regionWith(
  sent: readonly Sent[],
  changed: Partial<ClusterConfig> = {},
): Pick<Region, "config" | "cacheOf"> {
  const cache = cacheWith(sent);
  return { config: { ...config, ...changed }, cacheOf: () => cache };
}
