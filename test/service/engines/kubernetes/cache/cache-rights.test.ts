import { expect, test } from "vitest";
import { until } from "../../../../support/until.ts";
import { regionProblem } from "../../../../../src/service/engines/kubernetes/regions.ts";
import {
  type CachedCluster,
  openCachedCluster,
  openShop,
  pod,
  untilReadable,
  untilRefused,
} from "../support/cached-cluster.ts";

test("a missing right fails only those who need the kind, names it, and works once it is granted", async () => {
  const cluster = await openCachedCluster();
  const message = 'pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "shop"';
  cluster.server.fail("list pods", { status: 403, message });
  const cache = cluster.cacheOf("shop");

  await expect(cache.current(["Deployment", "Pod"])).rejects.toMatchObject({
    status: 403,
    message:
      "Couldn't read the pods of namespace shop: Gantry's account in the cluster may not list pods in the namespace shop. Nothing was changed. Add the verb list for pods to Gantry's Role there.",
  });
  await cache.current(["Deployment"]);

  cluster.server.fail("list pods", undefined);
  await untilReadable(cluster, cache);
});

test("once the Role is there, all kinds are read and watched, however often somebody reads meanwhile", async () => {
  const kinds = ["Deployment", "StatefulSet", "DaemonSet", "Pod", "Service"] as const;
  const cluster = await openCachedCluster({ kinds });
  const lists = ["list deployments", "list statefulsets", "list daemonsets", "list pods", "list services"] as const;
  for (const list of lists) cluster.server.fail(list, { status: 403, message: "forbidden" });
  const cache = cluster.cacheOf("shop");
  for (const kind of kinds) await cache.current([kind]).catch(() => undefined);

  for (const list of lists) cluster.server.fail(list, undefined);

  await cluster.later(async () => {
    await cache.current(kinds).catch(() => undefined);
    return cluster.server.openWatches() === kinds.length;
  });
  expect(cluster.server.openWatches()).toBe(kinds.length);
});

test("a right that is taken away is noticed by the next list, also while the old watch is open", async () => {
  const { cluster, cache } = await openShop();
  cluster.server.fail("list pods", { status: 403, message: "pods is forbidden" });

  expect(await untilRefused(cluster, cache)).toContain("pods is forbidden");
  expect(cache.all("Pod")).toEqual([]);

  cluster.server.fail("list pods", undefined);
  await untilReadable(cluster, cache);
  expect(cache.all("Pod")).toHaveLength(2);
});

test("a list without the right to watch is refused, and names that right", async () => {
  const cluster = await openCachedCluster();
  const message = 'pods is forbidden: User "ada" cannot watch resource "pods" in API group "" in the namespace "shop"';
  cluster.server.fail("watch pods", { status: 403, message });

  expect(await untilRefused(cluster, cluster.cacheOf("shop"))).toContain("may not watch pods");
});

test("without a right, only reads make the cache ask again, and not each of them", async () => {
  const cluster = await openCachedCluster();
  cluster.server.fail("list pods", { status: 403, message: "pods is forbidden" });
  const cache = cluster.cacheOf("shop");

  for (let n = 0; n < 20; n += 1) await expect(cache.current(["Pod"])).rejects.toThrow("pods is forbidden");

  expect(cluster.server.requests).toHaveLength(1);
});

test("a kind that the cluster lacks fails only those who need it", async () => {
  const cluster = await openCachedCluster({ unknown: ["httproutes"] });
  const cache = cluster.cacheOf("shop");

  await expect(cache.current(["HTTPRoute"])).rejects.toMatchObject({
    status: 503,
    message:
      "Couldn't read the httproutes of namespace shop: the cluster doesn't know HTTPRoute (apis/gateway.networking.k8s.io/v1). Nothing was changed. Install it, or change SERVICE_CLUSTERS.",
  });
  await cache.current(["Pod", "Service"]);
  await until(() => cluster.server.openWatches() === 2);
});

test("without an optional right all other kinds are read, and the missing one is named until it is granted", async () => {
  const cluster = await openCachedCluster({ kinds: ["Deployment", "DaemonSet", "CronJob"], unknown: ["cronjobs"] });
  const message =
    'daemonsets.apps is forbidden: User "ada" cannot list resource "daemonsets" in API group "apps" in the namespace "shop"';
  cluster.server.fail("list daemonsets", { status: 403, message });
  const cache = cluster.cacheOf("shop");

  await cache.current(["Deployment", "DaemonSet", "CronJob"]);

  expect(cache.unread(["Deployment", "DaemonSet", "CronJob"])).toEqual([
    "DaemonSets aren't listed: Gantry's account may not list daemonsets. Add the verb to its Role.",
    "CronJobs aren't listed: the cluster doesn't have this API.",
  ]);
  cluster.server.fail("list daemonsets", undefined);
  await cluster.later(async () => {
    await cache.current(["DaemonSet"]);
    return cache.unread(["DaemonSet"]).length === 0;
  });
});

test("an outage of an optional kind is no missing right", async () => {
  const cluster = await openCachedCluster({ kinds: ["DaemonSet"] });
  cluster.server.fail("list daemonsets", { status: 500, message: "etcdserver: leader changed" });

  await expect(cluster.cacheOf("shop").current(["DaemonSet"])).rejects.toMatchObject({ status: 503 });
});

const forbidden = (verb: string) =>
  `pods is forbidden: User "ada" cannot ${verb} resource "pods" in API group "" in the namespace "shop"`;

test("an API server that has just come back and knows no rights yet is no missing right, and is asked again soon", async () => {
  const { cluster, cache, openWatches } = await openShop();
  await cluster.server.stop();
  await until(() => cluster.events.length > 0);
  cluster.server.fail("list pods", { status: 403, message: forbidden("list") });
  cluster.server.fail("watch pods", { status: 403, message: forbidden("watch") });
  await cluster.server.start();

  let sentence = "";
  await until(async () => (sentence = await untilRefused(cluster, cache)).includes("come back"));

  expect(sentence).toMatch(
    /^Couldn't read the pods of namespace shop: the cluster's API server has just come back and doesn't know Gantry's rights yet\. Nothing was changed\. Try again in a minute\. The last known state is \d+ s old\.$/u,
  );
  expect(regionProblem(cluster.health())?.sentence).toContain("its API server has just come back");

  // Nobody reads meanwhile.
  cluster.server.fail("list pods", undefined);
  cluster.server.fail("watch pods", undefined);
  await cluster.later(() => openWatches() === 1);
});

test("a right that is still missing long after an outage is named", async () => {
  const { cluster, cache } = await openShop();
  await cluster.server.stop();
  await until(() => cluster.events.length > 0);
  cluster.server.fail("list pods", { status: 403, message: forbidden("list") });
  await cluster.server.start();
  await cluster.clock.passMs(60_000);

  await until(async () => (await untilRefused(cluster, cache)).includes("may not list pods"));
  expect(cache.all("Pod")).toEqual([]);
});

test("an optional right that was missing before an outage is still named after it, and no read waits for it", async () => {
  const cluster = await openCachedCluster({ kinds: ["Pod", "DaemonSet"] });
  cluster.server.objects.put("pods", "shop", pod("web-1"));
  const message =
    'daemonsets.apps is forbidden: User "ada" cannot list resource "daemonsets" in API group "apps" in the namespace "shop"';
  cluster.server.fail("list daemonsets", { status: 403, message });
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod", "DaemonSet"]);
  await until(() => cluster.server.openWatches() === 1);
  await cluster.server.stop();
  await until(() => cluster.events.length > 1);
  await cluster.server.start();
  const from = lists(cluster);

  await untilReadable(cluster, cache);
  await cluster.later(async () => {
    await cache.current(["Pod", "DaemonSet"]);
    return lists(cluster) > from;
  });

  expect(cache.unread(["DaemonSet"])).toEqual([
    "DaemonSets aren't listed: Gantry's account may not list daemonsets. Add the verb to its Role.",
  ]);
});

function lists({ server }: CachedCluster): number {
  return server.requests.filter(({ verb, resource }) => verb === "list" && resource === "daemonsets").length;
}
