import { Refusal } from "../../../engine.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import { type Kind, type KubeObject, kinds as allKinds } from "../cluster/kinds.ts";
import type { ReflectorOptions } from "./reflection.ts";
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

export type ClusterCachesOptions = Omit<NamespaceCacheOptions, "namespace">;

/** The caches of one cluster. What they send after failures is spread over all of them. */
export function openClusterCaches(options: ClusterCachesOptions) {
  const caches = new Map<string, NamespaceCache>();
  const closing = new Set<Promise<void>>();
  return {
    /** The cache of a namespace; opened with the first call, then shared. */
    cacheOf: (namespace: string): NamespaceCache => {
      const cache = caches.get(namespace) ?? openNamespaceCache({ ...options, namespace });
      caches.set(namespace, cache);
      return cache;
    },
    /** Closes the caches of all other namespaces. */
    keepOnly(namespaces: ReadonlySet<string>) {
      for (const [namespace, cache] of caches) {
        if (namespaces.has(namespace)) continue;
        caches.delete(namespace);
        const closed = cache.close().finally(() => closing.delete(closed));
        closing.add(closed);
      }
    },
    /** Of all namespaces that are watched by now. */
    health: () => [...caches.values()].flatMap((cache) => cache.health()),
    async close() {
      await Promise.all([...closing, ...[...caches.values()].map((cache) => cache.close())]);
    },
  };
}

type NamespaceCacheOptions = Omit<ReflectorOptions<CachedKind>, "place" | "labelSelector"> & {
  readonly namespace: string;
  readonly kinds: readonly CachedKind[];
  /** Of a kind, only the objects with these labels. */
  readonly labelSelectors?: Partial<Readonly<Record<CachedKind, string>>>;
};

export type NamespaceCache = ReturnType<typeof openNamespaceCache>;

/** The objects of one namespace, kept current by one watch per kind and shared by all readers. */
export function openNamespaceCache(options: NamespaceCacheOptions) {
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
    /** The configured kinds. All others are unknown here: to name one is a bug of the caller. */
    kinds: new Set(kinds),
    /**
     * Resolves when these kinds are known and current; reads through when a watch is broken or has been silent for too
     * long. Rejects with a `Refusal`: 403 if a right is missing, 503 with what the API server answered and how old the
     * last known state is. A kind that is missing or can't be read fails only the callers that name it, and none if it is
     * optional: `unread` says so. A kind is watched from the first time it is named.
     */
    async current(wanted: readonly CachedKind[], signal?: AbortSignal) {
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
    /** Why optional ones of these kinds aren't known, as of the last `current`: a sentence for each. */
    unread: (wanted: readonly CachedKind[]) => wanted.flatMap((kind) => unread.get(kind) ?? []),
    /** As of the last `current`, plus later watch events. */
    all: <K extends CachedKind>(kind: K) => of(kind).all(),
    find: <K extends CachedKind>(kind: K, name: string) => of(kind).find(name),
    /** Takes over the answer to a write, so that the next read shows it. An older version is ignored. */
    applyWrite: <K extends CachedKind>(kind: K, object: KubeObject<K>) => of(kind).applyWrite(object),
    /** Takes over that a write removed the object with this uid, so that the next read no longer shows it. */
    applyDelete: (kind: CachedKind, named: { readonly name: string; readonly uid: string }) =>
      of(kind).applyDelete(named),
    /**
     * Called after each change of a kind, with the object if the watch told of a single one: also of one that is gone, as it
     * was at last. Returns a function that ends the subscription.
     */
    onChange: <K extends CachedKind>(kind: K, listener: (seen?: KubeObject<K>) => void) => of(kind).onChange(listener),
    /** Of the kinds that are watched by now. */
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
