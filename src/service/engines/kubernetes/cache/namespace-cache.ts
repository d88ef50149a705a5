import { Refusal } from "../../../engine.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import { type Kind, type KubeObject, kinds as allKinds } from "../cluster/kinds.ts";
import type { ReadHealth, ReflectorOptions } from "./reflection.ts";
import { makeReflector, type Reflector } from "./reflector.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";

/** Kinds that each namespace is watched for; which of them depends on the cluster's configuration. */
export type CachedKind =
  | "Deployment"
  | "StatefulSet"
  | "DaemonSet"
  | "Job"
  | "CronJob"
  | "Pod"
  | "Service"
  | "Ingress"
  | "HTTPRoute"
  | "HorizontalPodAutoscaler";

/** The kinds that services are read from; the cache of a namespace has to hold them. */
export function serviceKinds({ adopt, domains }: Pick<ClusterConfig, "adopt" | "domains">): readonly CachedKind[] {
  return [
    "Deployment",
    "Pod",
    "Service",
    "HorizontalPodAutoscaler",
    // Gantry makes none.
    ...(adopt.workloads === "none" ? [] : (["StatefulSet", "DaemonSet"] as const)),
    ...(domains.by === "ingress" ? (["Ingress"] as const) : []),
    ...(domains.by === "gateway" ? (["HTTPRoute"] as const) : []),
  ];
}

/** The kinds that jobs are read from. */
export function jobKinds({ adopt }: Pick<ClusterConfig, "adopt">): readonly CachedKind[] {
  return ["Job", "Pod", ...(adopt.workloads === "none" ? [] : (["CronJob"] as const))];
}

/** Their rights are optional: without them, all other kinds are read. */
export function isOptional(kind: Kind): boolean {
  return kind === "DaemonSet" || kind === "CronJob";
}

export type ClusterCaches = {
  /** The cache of a namespace; opened with the first call, then shared. */
  readonly cacheOf: (namespace: string) => NamespaceCache;
  /** Closes the caches of all other namespaces. */
  readonly keepOnly: (namespaces: ReadonlySet<string>) => void;
  /** Of all namespaces that are watched by now. */
  readonly health: () => readonly ReadHealth[];
  readonly close: () => Promise<void>;
};

export type ClusterCachesOptions = Omit<NamespaceCacheOptions, "namespace">;

/** The caches of one cluster. What they send after failures is spread over all of them. */
export function openClusterCaches(options: ClusterCachesOptions): ClusterCaches {
  const caches = new Map<string, NamespaceCache>();
  const closing = new Set<Promise<void>>();
  return {
    cacheOf(namespace) {
      const cache = caches.get(namespace) ?? openNamespaceCache({ ...options, namespace });
      caches.set(namespace, cache);
      return cache;
    },
    keepOnly(namespaces) {
      for (const [namespace, cache] of caches) {
        if (namespaces.has(namespace)) continue;
        caches.delete(namespace);
        const closed = cache.close().finally(() => closing.delete(closed));
        closing.add(closed);
      }
    },
    health: () => [...caches.values()].flatMap((cache) => cache.health()),
    async close() {
      await Promise.all([...closing, ...[...caches.values()].map((cache) => cache.close())]);
    },
  };
}

/** The objects of one namespace, kept current by one watch per kind and shared by all readers. */
export type NamespaceCache = {
  readonly namespace: string;
  /** The configured kinds. All others are unknown here: to name one is a bug of the caller. */
  readonly kinds: ReadonlySet<CachedKind>;
  /**
   * Resolves when these kinds are known and current; reads through when a watch is broken or has been silent for too
   * long. Rejects with a `Refusal`: 403 if a right is missing, 503 with what the API server answered and how old the
   * last known state is. A kind that is missing or can't be read fails only the callers that name it, and none if it is
   * optional: `unread` says so. A kind is watched from the first time it is named.
   */
  readonly current: (kinds: readonly CachedKind[], signal?: AbortSignal) => Promise<void>;
  /** Why optional ones of these kinds aren't known, as of the last `current`: a sentence for each. */
  readonly unread: (kinds: readonly CachedKind[]) => readonly string[];
  /** As of the last `current`, plus later watch events. */
  readonly all: <K extends CachedKind>(kind: K) => readonly KubeObject<K>[];
  readonly find: <K extends CachedKind>(kind: K, name: string) => KubeObject<K> | undefined;
  /** Takes over the answer to a write, so that the next read shows it. An older version is ignored. */
  readonly applyWrite: <K extends CachedKind>(kind: K, object: KubeObject<K>) => void;
  /** Takes over that a write removed the object with this uid, so that the next read no longer shows it. */
  readonly applyDelete: (kind: CachedKind, named: { readonly name: string; readonly uid: string }) => void;
  /**
   * Called after each change of a kind, with the object if the watch told of a single one: also of one that is gone, as it
   * was at last. Returns a function that ends the subscription.
   */
  readonly onChange: <K extends CachedKind>(kind: K, listener: (seen?: KubeObject<K>) => void) => () => void;
  /** Of the kinds that are watched by now. */
  readonly health: () => readonly ReadHealth[];
  readonly close: () => Promise<void>;
};

type NamespaceCacheOptions = Omit<ReflectorOptions<CachedKind>, "place" | "labelSelector"> & {
  readonly namespace: string;
  readonly kinds: readonly CachedKind[];
  /** Of a kind, only the objects with these labels. */
  readonly labelSelectors?: Partial<Readonly<Record<CachedKind, string>>>;
};

export function openNamespaceCache(options: NamespaceCacheOptions): NamespaceCache {
  const { namespace, kinds, labelSelectors = {}, ...shared } = options;
  const reflectors = new Map<CachedKind, Reflector<CachedKind>>();
  for (const kind of kinds) {
    reflectors.set(kind, makeReflector({ ...shared, place: { kind, namespace }, labelSelector: labelSelectors[kind] }));
  }
  const unread = new Map<CachedKind, string>();
  const of = <K extends CachedKind>(kind: K): Reflector<K> => {
    const reflector = reflectors.get(kind);
    if (!reflector) throw new Error(`the cache of ${namespace} was opened without ${kind}`);
    return reflector;
  };
  return {
    namespace,
    kinds: new Set(kinds),
    async current(wanted, signal) {
      await Promise.all(
        [...new Set(wanted)].map(async (kind) => {
          try {
            await of(kind).current(signal);
            unread.delete(kind);
          } catch (error) {
            const why = isOptional(kind) ? whyUnread(kind, error) : undefined;
            if (why === undefined) throw error;
            unread.set(kind, why);
          }
        }),
      );
    },
    unread: (wanted) => wanted.flatMap((kind) => unread.get(kind) ?? []),
    all: (kind) => of(kind).all(),
    find: (kind, name) => of(kind).find(name),
    applyWrite: (kind, object) => of(kind).applyWrite(object),
    applyDelete: (kind, named) => of(kind).applyDelete(named),
    onChange: (kind, listener) => of(kind).onChange(listener),
    health: () => [...reflectors.values()].flatMap((reflector) => reflector.health() ?? []),
    async close() {
      await Promise.all([...reflectors.values()].map((reflector) => reflector.close()));
    },
  };
}

/** A sentence about a kind that lasts until somebody changes the cluster; undefined for an outage. */
function whyUnread(kind: CachedKind, error: unknown): string | undefined {
  if (!(error instanceof Refusal) || !(error.cause instanceof KubeError)) return undefined;
  const { plural } = allKinds[kind];
  if (error.cause.isEarly) return `${kind}s aren't listed: the cluster's API server has just come back.`;
  if (error.cause.status === 404) return `${kind}s aren't listed: the cluster doesn't have this API.`;
  const right = error.status === 403 ? missingRightOf(error.cause) : undefined;
  if (!right) return undefined;
  return `${kind}s aren't listed: Gantry's account may not ${right.verb} ${plural}. Add the verb to its Role.`;
}
