import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import {
  type CachedCluster,
  deployment,
  openCachedCluster,
  pod,
  podNames,
  untilReadable,
} from "../support/cached-cluster.ts";

function requestsTo({ server }: CachedCluster, verb: "list" | "watch") {
  return server.requests.filter((request) => request.verb === verb);
}

test("the first read lists page by page, then one watch goes on from there for all readers", async () => {
  const cluster = await openCachedCluster({ limits: { pageSize: 5 } });
  for (let n = 10; n < 22; n += 1) cluster.server.objects.put("pods", "shop", pod(`web-${n}`));
  const cache = cluster.cacheOf("shop");

  await Promise.all([cache.current(["Pod"]), cache.current(["Pod"]), cluster.cacheOf("shop").current(["Pod"])]);
  await until(() => cluster.server.openWatches() === 1);

  expect(podNames(cache)).toHaveLength(12);
  expect(requestsTo(cluster, "list")).toHaveLength(3);
  expect(requestsTo(cluster, "watch")[0]?.query.get("resourceVersion")).toBe(String(cluster.server.objects.version()));
});

test("what others create, change and delete shows without another list", async () => {
  const cluster = await openCachedCluster();
  const { objects } = cluster.server;
  objects.put("deployments", "shop", deployment("web", 2));
  const cache = cluster.cacheOf("shop");
  await cache.current(["Deployment"]);

  objects.put("deployments", "shop", deployment("worker", 1));
  objects.put("deployments", "shop", deployment("web", 5));
  await until(() => cache.find("Deployment", "web")?.spec.replicas === 5);
  objects.remove("deployments", "shop", "web");
  await until(() => cache.find("Deployment", "web") === undefined);

  expect(cache.all("Deployment").map(({ metadata }) => metadata.name)).toEqual(["worker"]);
  expect(requestsTo(cluster, "list")).toHaveLength(1);
});

test("namespaces and kinds are kept apart, and a kind that nobody needs is never asked for", async () => {
  const cluster = await openCachedCluster();
  cluster.server.objects.put("pods", "shop", pod("web-1"));
  cluster.server.objects.put("pods", "bank", pod("safe-1"));

  await Promise.all([cluster.cacheOf("shop").current(["Pod"]), cluster.cacheOf("bank").current(["Pod"])]);

  expect(podNames(cluster.cacheOf("shop"))).toEqual(["web-1"]);
  expect(podNames(cluster.cacheOf("bank"))).toEqual(["safe-1"]);
  expect(new Set(cluster.server.requests.map(({ resource }) => resource))).toEqual(new Set(["pods"]));
  await expect(cluster.cacheOf("shop").current(["Job"])).rejects.toThrow("the cache of shop was opened without Job");
});

test("the answer to an own write shows in the next read", async () => {
  const cluster = await openCachedCluster();
  const cache = cluster.cacheOf("shop");
  await cache.current(["Deployment"]);
  cluster.server.silenceWatches();

  const place = { kind: "Deployment", namespace: "shop" } as const;
  const created = await cluster.api.create(place, deployment("web", 2));
  cache.applyWrite("Deployment", created);
  await cache.current(["Deployment"]);
  expect(cache.find("Deployment", "web")?.spec.replicas).toBe(2);

  await cluster.api.delete({ ...place, name: "web" }, { propagation: "Background" });
  cache.applyDelete("Deployment", created.metadata);
  await cache.current(["Deployment"]);
  expect(cache.all("Deployment")).toEqual([]);
});

test("a subscription is called for each change until it ends; one that fails doesn't hurt the others", async () => {
  const cluster = await openCachedCluster();
  const cache = cluster.cacheOf("shop");
  let calls = 0;
  cache.onChange("Pod", () => {
    throw new Error("a listener's bug");
  });
  const end = cache.onChange("Pod", () => (calls += 1));
  await until(() => cluster.server.openWatches() === 1);

  cluster.server.objects.put("pods", "shop", pod("web-1"));
  await until(() => calls === 1);
  end();
  cluster.server.objects.put("pods", "shop", pod("web-2"));
  await until(() => podNames(cache).length === 2);

  expect(calls).toBe(1);
  expect(cluster.events).toContain("a listener of the Kubernetes cache failed");
});

test("with a selector, an object is gone when its labels no longer match", async () => {
  const cluster = await openCachedCluster({ labelSelectors: { Pod: "team=shop" } });
  const { objects } = cluster.server;
  objects.put("pods", "shop", pod("web-1", { labels: { team: "shop" } }));
  objects.put("pods", "shop", pod("other-1"));
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod"]);
  expect(podNames(cache)).toEqual(["web-1"]);

  objects.put("pods", "shop", pod("web-1", { labels: { team: "bank" } }));
  await until(() => podNames(cache).length === 0);
});

test("more objects than the limit are refused with a sentence, in a list and by a watch", async () => {
  const cluster = await openCachedCluster({ limits: { maxObjects: 3 } });
  const { objects } = cluster.server;
  for (const n of [1, 2, 3]) objects.put("pods", "shop", pod(`web-${n}`));
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod"]);
  await until(() => cluster.server.openWatches() === 1);

  objects.put("pods", "shop", pod("web-4"));
  await until(() => cluster.server.openWatches() === 0);
  await expect(cache.current(["Pod"])).rejects.toMatchObject({
    status: 503,
    message:
      "Couldn't read the pods of namespace shop: there are more than 3 pods, the most that Gantry holds. Nothing was changed. Delete old ones.",
  });
  expect(cache.all("Pod")).toEqual([]);

  objects.remove("pods", "shop", "web-1");
  await untilReadable(cluster, cache);
  expect(podNames(cache)).toHaveLength(3);
});

test("a closed cache leaves no watch behind and refuses reads", async () => {
  const cluster = await openCachedCluster();
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod", "Deployment"]);
  await until(() => cluster.server.openWatches() === 2);

  await cluster.close();
  await until(() => cluster.server.openWatches() === 0);
  const before = cluster.server.requests.length;

  await expect(cache.current(["Pod"])).rejects.toMatchObject({ status: 503 });
  expect(cluster.server.requests).toHaveLength(before);
});

test("a reader who leaves doesn't end the list of the others", async () => {
  const cluster = await openCachedCluster();
  cluster.server.objects.put("pods", "shop", pod("web-1"));
  const cache = cluster.cacheOf("shop");
  const leaving = new AbortController();

  const left = cache.current(["Pod"], leaving.signal);
  const stays = cache.current(["Pod"]);
  leaving.abort(new Error("the client is gone"));

  await expect(left).rejects.toThrow("the client is gone");
  await stays;
  expect(podNames(cache)).toEqual(["web-1"]);
});
