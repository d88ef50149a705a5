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
import { mostWithin } from "../support/count-starts.ts";

test("a watch that was cut goes on where it ended, without a list", async () => {
  const { cluster, cache, objects, cutWatches, openWatches } = await openShop();
  cluster.server.fail("watch", { status: 503 });
  cutWatches();
  objects.put("pods", "shop", pod("web-3"));
  objects.remove("pods", "shop", "web-1");

  cluster.server.fail("watch", undefined);

  await cluster.later(() => podNames(cache).join() === "web-2,web-3");
  expect(count(cluster, "list")).toBe(1);
  expect(openWatches()).toBe(1);
  expect(cluster.events).toContain("Kubernetes: pods are current again");
});

test("the first read after a watch broke lists, however young the known state is", async () => {
  const { cluster, cache, objects, cutWatches } = await openShop();
  cluster.server.fail("watch", { status: 503 });
  cutWatches();
  await until(() => cluster.events.length > 0);
  objects.put("pods", "shop", pod("web-3"));

  await cache.current(["Pod"]);

  expect(podNames(cache)).toEqual(["web-1", "web-2", "web-3"]);
  expect(cluster.clock.elapsedMs()).toBe(0);
});

test("as long as no watch can be opened, reads list again and show what happened since", async () => {
  const { cluster, cache, objects, cutWatches, openWatches } = await openShop();
  cluster.server.fail("watch", { status: 500, message: "etcd has no leader" });
  cutWatches();
  await until(() => openWatches() === 0 && cluster.events.length > 0);

  for (let n = 3; n < 8; n += 1) {
    objects.put("pods", "shop", pod(`web-${n}`));
    objects.remove("pods", "shop", `web-${n - 1}`);
    await cluster.later(async () => {
      await cache.current(["Pod"]);
      return podNames(cache).includes(`web-${n}`);
    });
    expect(podNames(cache)).toEqual(["web-1", `web-${n}`]);
  }
});

test("when the version of a watch is forgotten, a list finds what came and what vanished", async () => {
  const { cluster, cache, objects, cutWatches } = await openShop();
  cluster.server.fail("watch", { status: 503 });
  cutWatches();
  objects.put("pods", "shop", pod("web-3"));
  objects.remove("pods", "shop", "web-1");
  objects.compact();

  cluster.server.fail("watch", undefined);

  await cluster.later(() => podNames(cache).join() === "web-2,web-3");
  expect(count(cluster, "list")).toBe(2);
});

test("a list whose pages are forgotten half way is begun again", async () => {
  let pages = 0;
  const cluster = await openCachedCluster({
    limits: { pageSize: 1 },
    onRequest({ verb, query }) {
      if (verb !== "list" || query.get("continue") === null) return;
      pages += 1;
      if (pages !== 1) return;
      cluster.server.objects.remove("pods", "shop", "web-1");
      cluster.server.objects.compact();
    },
  });
  for (const n of [1, 2, 3]) cluster.server.objects.put("pods", "shop", pod(`web-${n}`));
  const cache = cluster.cacheOf("shop");

  expect(await untilRefused(cluster, cache)).toContain("The provided continue parameter is too old");
  await untilReadable(cluster, cache);
  expect(podNames(cache)).toEqual(["web-2", "web-3"]);
});

test("a watch that has gone silent is noticed by the next read after the limit", async () => {
  const { cluster, cache, objects, silenceWatches } = await openShop();
  silenceWatches();
  objects.put("pods", "shop", pod("web-3"));
  await cluster.clock.passMs(10_000);
  await cache.current(["Pod"]);
  expect(podNames(cache)).toHaveLength(2);

  await cluster.clock.passMs(1);
  await cache.current(["Pod"]);

  expect(podNames(cache)).toHaveLength(3);
  // The list told of something that the watch should have told: another watch takes its place.
  await until(() => count(cluster, "watch") === 2);
  objects.put("pods", "shop", pod("web-4"));
  await until(() => podNames(cache).length === 4);
  expect(cluster.events).toEqual([]);
});

test("while a watch isn't open yet, reads list again sooner than beside an open one", async () => {
  const cluster = await openCachedCluster({ onRequest: ({ verb }) => cluster.server.hang(verb === "watch") });
  const cache = cluster.cacheOf("shop");
  await cache.current(["Pod"]);
  await until(() => count(cluster, "watch") === 1);
  cluster.server.objects.put("pods", "shop", pod("web-1"));
  await cluster.clock.passMs(5_000);
  await cache.current(["Pod"]);
  expect(podNames(cache)).toEqual([]);

  await cluster.clock.passMs(1);
  await cache.current(["Pod"]);

  expect(podNames(cache)).toEqual(["web-1"]);
});

test("a silent watch is given up without any reader, and the next one tells what it missed", async () => {
  const { cluster, cache, objects, silenceWatches } = await openShop();
  silenceWatches();
  objects.put("pods", "shop", pod("web-3"));
  objects.remove("pods", "shop", "web-1");
  await cluster.clock.passMs(90_000);

  await cluster.later(() => podNames(cache).join() === "web-2,web-3");
  expect(cluster.events).toEqual([]);
});

test("the first read after a silent watch lists, because the next watch may be as silent", async () => {
  const { cluster, cache } = await openShop();
  await cluster.clock.passMs(90_000);
  await cluster.later(() => count(cluster, "watch") === 2 && cluster.server.openWatches() === 1);
  const before = count(cluster, "list");

  await cache.current(["Pod"]);

  expect(count(cluster, "list")).toBe(before + 1);
});

test("silent watches of objects that never change cost no list", async () => {
  const { cluster, cache } = await openShop();
  const before = count(cluster, "list");

  for (let watches = 2; watches <= 4; watches += 1) {
    await cluster.clock.passMs(90_000);
    await cluster.later(() => count(cluster, "watch") === watches && cluster.server.openWatches() === 1);
  }

  expect(count(cluster, "list")).toBe(before);
  expect(podNames(cache)).toEqual(["web-1", "web-2"]);
  expect(cluster.events).toEqual([]);
});

test("bookmarks are signs of life, and the next watch goes on from the last one", async () => {
  const { cluster, openWatches, objects } = await openShop();
  await cluster.clock.passMs(6_000);
  objects.put("deployments", "shop", { metadata: { name: "of-another-kind" } });
  cluster.server.bookmark();
  cluster.server.endWatches();
  await until(() => count(cluster, "watch") === 2 && openWatches() === 1);

  const [, second] = cluster.server.requests.filter(({ verb }) => verb === "watch");
  expect(second?.query.get("resourceVersion")).toBe(String(objects.version()));
  expect(cluster.events).toEqual([]);
});

test("a watch that ends as usual goes on at once and counts as no failure", async () => {
  const { cluster, endWatches, openWatches } = await openShop();

  for (let n = 2; n < 5; n += 1) {
    await cluster.clock.passMs(5_000);
    endWatches();
    await until(() => count(cluster, "watch") === n && openWatches() === 1);
  }

  expect(cluster.events).toEqual([]);
  expect(count(cluster, "list")).toBe(1);
});

test("watches that end as soon as they begin are failures, with pauses between them", async () => {
  const cluster = await openCachedCluster({ secondMs: 0 });
  cluster.cacheOf("shop").onChange("Pod", () => undefined);

  await cluster.later(() => count(cluster, "watch") === 5);

  const [, ...watches] = cluster.starts;
  expect(mostWithin(watches, 500)).toBe(1);
  expect(cluster.events[0]).toBe("Kubernetes: the watch of pods failed");
});

test("after the cluster was restored from a backup, reads show the backup", async () => {
  const { cluster, cache, objects } = await openShop();
  const restore = objects.backup();
  for (let n = 3; n < 9; n += 1) objects.put("pods", "shop", pod(`web-${n}`));
  await until(() => podNames(cache).length === 8);

  restore();
  await cluster.clock.passMs(10_001);
  await cache.current(["Pod"]);

  expect(podNames(cache)).toHaveLength(2);
  objects.put("pods", "shop", pod("web-9"));
  await until(() => podNames(cache).length === 3);
  expect(cluster.server.openWatches()).toBe(1);
});
