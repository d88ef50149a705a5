import { onTestFinished } from "vitest";
import { type CacheLimits, makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reflection.ts";
import {
  type ClusterCachesOptions,
  openClusterCaches,
  type NamespaceCache,
} from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import type { KubeApi } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { type StillClock, stillClock } from "../../../../support/test-clock.ts";
import { until } from "../../../../support/until.ts";
import { asTimePasses } from "../../../../support/as-time-passes.ts";
import { countStarts } from "./count-starts.ts";
import { type FakeApiServer, type FakeOptions, openFakeApiServer } from "./fake-api-server.ts";

export type CachedCluster = ReturnType<typeof openClusterCaches> & {
  readonly server: FakeApiServer;
  readonly api: KubeApi;
  readonly clock: StillClock;
  /** Lets time pass until it is so. */
  readonly later: (isSo: () => boolean | Promise<boolean>) => Promise<void>;
  /** Times at which a cache sent a list or began a watch, also one that was refused. */
  readonly starts: readonly number[];
  readonly events: readonly string[];
};

type Opening = FakeOptions & {
  readonly limits?: Partial<Pick<CacheLimits, "pageSize" | "maxObjects">>;
  readonly kinds?: ClusterCachesOptions["kinds"];
  readonly labelSelectors?: ClusterCachesOptions["labelSelectors"];
};

/** A fake API server and the caches of it, closed with the test. Time stands still for them. */
export async function openCachedCluster(opening: Opening = {}): Promise<CachedCluster> {
  const { limits, labelSelectors } = opening;
  const { kinds = ["Deployment", "Pod", "Service", "HTTPRoute"] } = opening;
  const server = await openFakeApiServer(opening);
  const clock = stillClock();
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock });
  const { counted, starts } = countStarts(api, clock);
  const events: string[] = [];
  const caches = openClusterCaches({
    api: counted,
    kinds,
    clock,
    ...(labelSelectors && { labelSelectors }),
    ...(limits && { limits }),
    reconnects: makeReconnects(clock),
    onEvent: (message) => void events.push(message),
  });
  onTestFinished(async () => {
    await caches.close();
    api.close();
    await server.stop();
  });
  const later: CachedCluster["later"] = (isSo) => asTimePasses(clock, () => until(isSo));
  return { ...caches, server, api, clock, later, starts, events };
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

/** Lets time pass until the pods can be read. */
export async function untilReadable({ later }: CachedCluster, cache: NamespaceCache): Promise<void> {
  await later(() =>
    cache.current(["Pod"]).then(
      () => true,
      () => false,
    ),
  );
}

/** The sentence of the first read of pods that is refused, as time passes. */
export async function untilRefused({ later }: CachedCluster, cache: NamespaceCache): Promise<string> {
  let message: string | undefined;
  await later(async () => {
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
