import type {
  CachedKind,
  NamespaceCache,
} from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import {
  type KubeApi,
  KubeError,
  type Named,
  type Place,
} from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { kinds, type KubeObject } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import { makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reflection.ts";
import type { Region } from "../../../../../src/service/engines/kubernetes/regions.ts";
import {
  makeNamespaceClaims,
  openNamespaces,
} from "../../../../../src/service/engines/kubernetes/region-namespaces.ts";
import { stillClock } from "../../../../support/test-clock.ts";

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
    applyWrite: () => undefined,
    applyDelete: () => undefined,
    onChange: () => () => undefined,
    close: async () => undefined,
  };
}

export const config: ClusterConfig = {
  region: "us",
  kubeconfig: "default",
  context: undefined,
  namespacesOf: () => ({ names: ["team"] }),
  domains: { by: "none" },
  ports: { by: "cluster" },
  disks: undefined,
  hostPath: undefined,
  jobs: true,
  adopt: { workloads: "all", allow: [] },
};

/** The namespaces of dana, in a cluster that is asked nothing. */
export function namespacesOf({ region, namespacesOf: of }: Pick<ClusterConfig, "region" | "namespacesOf">) {
  const api = { server: "https://known" } as KubeApi; // without labels, no call
  const clock = stillClock();
  return openNamespaces({
    config: { region, namespacesOf: of },
    users: ["dana"],
    api,
    claims: makeNamespaceClaims(),
    clock,
    reconnects: makeReconnects(clock),
    onEvent: () => undefined,
  });
}

/** A region whose only namespace holds these objects. */
export function regionWith(sent: readonly Sent[], changed: Partial<ClusterConfig> = {}): Region {
  const cache = cacheWith(sent);
  const own = { ...config, ...changed };
  const namespaces = namespacesOf(own);
  return { config: own, api: silent, version: "v1.20.2", cacheOf: () => cache, namespaces, evidenceIn: quiet };
}

/** It has no events, and no rights to anything else that isn't watched. */
const silent = {
  async list({ kind }: Place) {
    if (kind !== "Event") throw new KubeError(403, `${kind} is forbidden`);
    return { items: [] };
  },
  async get({ kind }: Named) {
    throw new KubeError(403, `${kind} is forbidden`);
  },
} as unknown as KubeApi; // what reads use of it

/** Nothing is reported of pods, and the API server was always there. */
export const quiet: Region["evidenceIn"] = async () => ({});
