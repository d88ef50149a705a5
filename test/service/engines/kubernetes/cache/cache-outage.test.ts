import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import { asTimePasses } from "../../../../support/as-time-passes.ts";
import {
  count,
  openCachedCluster,
  openShop,
  pod,
  podNames,
  untilReadable,
  untilRefused,
} from "../support/cached-cluster.ts";
import { mostWithin } from "../support/count-starts.ts";

test("while the API server is down, a read is refused with the cause and the age of what is known", async () => {
  const { cluster, cache, openWatches } = await openShop();
  await cluster.server.stop();
  await until(() => cluster.events.length > 0);

  const refusal = asTimePasses(cluster.clock, () => cache.current(["Pod"]));

  await expect(refusal).rejects.toMatchObject({ name: "Refusal", status: 503 });
  await expect(refusal).rejects.toThrow(
    /^Couldn't read the pods of namespace shop: the cluster didn't answer \(http:\/\/127\.0\.0\.1:\d+ can't be reached: connect ECONNREFUSED .*\)\. Nothing was changed\. Try again\. The last known state is \d+ s old\.$/u,
  );

  await cluster.server.start();
  cluster.server.objects.put("pods", "shop", pod("web-3"));
  await untilReadable(cluster, cache);
  expect(podNames(cache)).toEqual(["web-1", "web-2", "web-3"]);
  await cluster.later(() => openWatches() === 1);
});

test("an API server that takes connections and never answers refuses a read in time", async () => {
  const { cluster, cache, cutWatches } = await openShop();
  cluster.server.hang(true);
  cutWatches();
  await until(() => cluster.events.length > 0);

  const read = asTimePasses(cluster.clock, () => cache.current(["Pod"]));

  await expect(read).rejects.toThrow("not back after 4 s after a failure");
});

test("after failures, all kinds and namespaces together send one request at a time, readers included", async () => {
  const cluster = await openCachedCluster();
  const caches = ["shop", "bank", "club"].map((namespace) => cluster.cacheOf(namespace));
  const all = ["Pod", "Deployment", "Service"] as const;
  await Promise.all(caches.map((cache) => cache.current(all)));
  await until(() => cluster.server.openWatches() === 9);
  await cluster.server.stop();
  await until(() => cluster.events.length === 9);

  const from = cluster.starts.length;
  const readers = caches.map((cache) => cache.current(all).catch(() => undefined));
  await cluster.later(() => cluster.starts.length >= from + 5);
  await cluster.server.start();
  await asTimePasses(cluster.clock, () => Promise.all(readers));
  await cluster.later(() => cluster.server.openWatches() === 9);

  const starts = cluster.starts.slice(from);
  expect(starts.length).toBeGreaterThan(9);
  // One at a time, and the watch after a list.
  expect(mostWithin(starts, 1_000)).toBeLessThanOrEqual(3);
});

test("a list that fails while the watch is fine is told once, and so is its recovery", async () => {
  const { cluster, cache } = await openShop();
  cluster.server.fail("list", { status: 500, message: "etcd has no leader" });
  for (let n = 0; n < 3; n += 1) expect(await untilRefused(cluster, cache)).toContain("etcd has no leader");

  cluster.server.fail("list", undefined);
  await untilReadable(cluster, cache);

  expect(cluster.events).toEqual(["Kubernetes: the list of pods failed", "Kubernetes: pods are current again"]);
  expect(count(cluster, "watch")).toBe(1);
});

test("an API server that asks for time gets it", async () => {
  const { cluster, cutWatches } = await openShop();
  cluster.server.fail("watch", { status: 429, retryAfter: 30, message: "too many requests" });
  const from = count(cluster, "watch");
  cutWatches();
  await cluster.later(() => count(cluster, "watch") === from + 1);
  cluster.server.fail("watch", undefined);

  await cluster.later(() => cluster.server.openWatches() === 1);

  const [before = 0, last = 0] = cluster.starts.slice(-2);
  expect(last - before).toBeGreaterThanOrEqual(30_000);
});
