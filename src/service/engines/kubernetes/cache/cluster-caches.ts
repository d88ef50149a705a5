import { type NamespaceCache, type NamespaceCacheOptions, openNamespaceCache } from "./namespace-cache.ts";
import type { ReadHealth } from "./read-health.ts";
import { makeReconnects, type Reconnects } from "./reconnects.ts";

export type ClusterCaches = {
  /** The cache of a namespace; opened with the first call, then shared. */
  readonly cacheOf: (namespace: string) => NamespaceCache;
  /** Closes the caches of all other namespaces. */
  readonly keepOnly: (namespaces: ReadonlySet<string>) => void;
  /** Of all namespaces that are watched by now. */
  readonly health: () => readonly ReadHealth[];
  readonly close: () => Promise<void>;
};

export type ClusterCachesOptions = Omit<NamespaceCacheOptions, "namespace" | "reconnects"> & {
  readonly reconnects?: Reconnects;
};

/** The caches of one cluster. What they send after failures is spread over all of them. */
export function openClusterCaches({ reconnects = makeReconnects(), ...options }: ClusterCachesOptions): ClusterCaches {
  const caches = new Map<string, NamespaceCache>();
  const closing = new Set<Promise<void>>();
  return {
    cacheOf(namespace) {
      const cache = caches.get(namespace) ?? openNamespaceCache({ ...options, namespace, reconnects });
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
