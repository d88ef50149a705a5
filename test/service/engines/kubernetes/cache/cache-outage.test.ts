import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import {
  count,
  openCachedCluster,
  openShop,
  pod,
  podNames,
  untilReadable,
  untilRefused,
} from "../support/cached-cluster.ts";

test("while the API server is down, a read is refused with the cause and the age of what is known", async () => {
  const { cluster, cache, openWatches } = await openShop();
  await cluster.server.stop();
  await until(() => cluster.events.length > 0);

  const refusal = cache.current(["Pod"]);

  await expect(refusal).rejects.toMatchObject({ name: "Refusal", status: 503 });
  await expect(refusal).rejects.toThrow(
    /^Couldn't read the pods of namespace shop: the cluster didn't answer \(http:\/\/127\.0\.0\.1:\d+ can't be reached: connect ECONNREFUSED .*\)\. Nothing was changed\. Try again\. The last known state is \d+ s old\.$/u,
  );

  await cluster.server.start();
  cluster.server.objects.put("pods", "shop", pod("web-3"));
  await untilReadable(cache);
  expect(podNames(cache)).toEqual(["web-1", "web-2", "web-3"]);
  await until(() => openWatches() === 1);
});

test("an API server that takes connections and never answers refuses a read in time", async () => {
  const { cluster, cache, cutWatches } = await openShop({ limits: { readMs: 300 } });
  cluster.server.hang(true);
  cutWatches();
  await until(() => cluster.events.length > 0);

  await expect(cache.current(["Pod"])).rejects.toThrow("not back after 0.3 s after a failure");
});

test("after failures, all kinds and namespaces together send one request at a time, readers included", async () => {
  const reconnectMs = 100;
  const cluster = await openCachedCluster({ reconnectMs, limits: { firstRetryMs: 5, longestRetryMs: 20 } });
  const caches = ["shop", "bank", "club"].map((namespace) => cluster.cacheOf(namespace));
  const all = ["Pod", "Deployment", "Service"] as const;
  await Promise.all(caches.map((cache) => cache.current(all)));
  await until(() => cluster.server.openWatches() === 9);
  await cluster.server.stop();
  await until(() => cluster.events.length === 9);

  const from = cluster.starts.length;
  const readers = caches.map((cache) => cache.current(all).catch(() => undefined));
  await until(() => cluster.starts.length >= from + 5);
  await cluster.server.start();
  await Promise.all(readers);
  await until(() => cluster.server.openWatches() === 9);

  // On average: a process that has to wait for its processor sends late, and the next one is then nearer to it.
  const starts = cluster.starts.slice(from);
  const lastedMs = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  expect(starts.length).toBeGreaterThan(9);
  expect(starts.length).toBeLessThanOrEqual(lastedMs / reconnectMs + 2);
});

test("a list that fails while the watch is fine is told once, and so is its recovery", async () => {
  const { cluster, cache } = await openShop({ limits: { staleAfterMs: 50 } });
  cluster.server.fail("list", { status: 500, message: "etcd has no leader" });
  for (let n = 0; n < 3; n += 1) expect(await untilRefused(cache)).toContain("etcd has no leader");

  cluster.server.fail("list", undefined);
  await untilReadable(cache);

  expect(cluster.events).toEqual(["Kubernetes: the list of pods failed", "Kubernetes: pods are current again"]);
  expect(count(cluster, "watch")).toBe(1);
});

test("an API server that asks for time gets it", async () => {
  const { cluster, cutWatches } = await openShop();
  cluster.server.fail("watch", { status: 429, retryAfter: 1, message: "too many requests" });
  const from = count(cluster, "watch");
  cutWatches();
  await until(() => count(cluster, "watch") === from + 1);
  const asked = performance.now();
  cluster.server.fail("watch", undefined);

  await until(() => cluster.server.openWatches() === 1);

  expect(performance.now() - asked).toBeGreaterThan(900);
});
