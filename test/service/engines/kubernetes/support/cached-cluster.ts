import { onTestFinished } from "vitest";
import type { CacheLimits } from "../../../../../src/service/engines/kubernetes/cache/reflection.ts";
import {
  type ClusterCaches,
  type ClusterCachesOptions,
  openClusterCaches,
  type NamespaceCache,
} from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reconnects.ts";
import type { KubeApi } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { until } from "../../../../support/until.ts";
import { countStarts } from "./count-starts.ts";
import { type FakeApiServer, type FakeOptions, openFakeApiServer } from "./fake-api-server.ts";

export type CachedCluster = ClusterCaches & {
  readonly server: FakeApiServer;
  readonly api: KubeApi;
  /** Times (performance.now()) at which a cache sent a list or began a watch, also one that was refused. */
  readonly starts: readonly number[];
  readonly events: readonly string[];
};

/** Everything happens within a second; `reconnectMs` stands for the second between reconnects. */
export const quick: CacheLimits = {
  staleAfterMs: 400,
  staleWithoutWatchMs: 50,
  catchUpMs: 50,
  silentAfterMs: 60_000,
  watchSeconds: 300,
  healthyAfterMs: 0,
  firstRetryMs: 20,
  longestRetryMs: 100,
  deniedRetryMs: 60_000,
  deniedReadMs: 50,
  readMs: 10_000,
  pageSize: 500,
  maxObjects: 1_000,
};

type Opening = FakeOptions & {
  readonly limits?: Partial<CacheLimits>;
  readonly reconnectMs?: number;
  readonly rightsWithinMs?: number;
  readonly kinds?: ClusterCachesOptions["kinds"];
  readonly labelSelectors?: ClusterCachesOptions["labelSelectors"];
};

/** A fake API server and the caches of it, closed with the test. */
export async function openCachedCluster(opening: Opening = {}): Promise<CachedCluster> {
  const { limits, reconnectMs = 10, rightsWithinMs = 60_000, labelSelectors } = opening;
  const { kinds = ["Deployment", "Pod", "Service", "HTTPRoute"] } = opening;
  const server = await openFakeApiServer(opening);
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), timeoutMs: 60_000, rightsWithinMs });
  const { counted, starts } = countStarts(api);
  const events: string[] = [];
  const caches = openClusterCaches({
    api: counted,
    kinds,
    ...(labelSelectors && { labelSelectors }),
    limits: { ...quick, ...limits },
    reconnects: makeReconnects({ everyMs: reconnectMs }),
    onEvent: (message) => void events.push(message),
  });
  onTestFinished(async () => {
    await caches.close();
    api.close();
    await server.stop();
  });
  return { ...caches, server, api, starts, events };
}

/** A cluster with two pods, whose watch is open. */
export async function openShop(opening: Opening = {}) {
  const cluster = await openCachedCluster(opening);
  cluster.server.objects.put("pods", "shop", pod("web-1"));
  cluster.server.objects.put("pods", "shop", pod("web-2"));
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod"]);
  await until(() => cluster.server.openWatches() === 1);
  return { cluster, cache, ...cluster.server };
}

export function podNames(cache: NamespaceCache): readonly string[] {
  return cache.all("Pod").map(({ metadata }) => metadata.name);
}

export function count({ server }: CachedCluster, verb: "list" | "watch"): number {
  return server.requests.filter((request) => request.verb === verb).length;
}

/** Waits until the pods can be read. */
export async function untilReadable(cache: NamespaceCache): Promise<void> {
  await until(() =>
    cache.current(["Pod"]).then(
      () => true,
      () => false,
    ),
  );
}

/** The sentence of the first read of pods that is refused. */
export async function untilRefused(cache: NamespaceCache): Promise<string> {
  let message: string | undefined;
  await until(async () => {
    message = await cache.current(["Pod"]).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return message !== undefined;
  });
  return message ?? "";
}

export function pod(name: string, more: { readonly labels?: Readonly<Record<string, string>> } = {}): object {
  return { metadata: { name, ...more }, spec: { containers: [{ name: "main" }] }, status: { phase: "Running" } };
}

export function deployment(name: string, replicas = 1): object {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "app:1" }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: { app: name } }, template }, status: {} };
}
