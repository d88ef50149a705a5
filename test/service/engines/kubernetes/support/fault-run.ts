import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClusterCachesOptions,
  openClusterCaches,
  type NamespaceCache,
} from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import type { KubeApi } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { countStarts, mostWithin } from "./count-starts.ts";
import { type Freshness, makeFreshness } from "./freshness.ts";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reflection.ts";

export type FaultRun = {
  readonly writes: number;
  readonly reads: number;
  /** Reads that said that the state isn't known. */
  readonly refused: number;
  /** Reads that lacked a change which had been answered longer ago than `limitMs`. */
  readonly wrong: number;
  /** How old the oldest state was that a read showed. */
  readonly oldestMs: number;
  /** The most lists and watches begun within a second, after the first ones. */
  readonly startsPerSecond: number;
  /** Objects that differ from the cluster's in the end. */
  readonly different: number;
};

export type FaultRunOptions = Pick<ClusterCachesOptions, "limits"> & {
  /** Writes here; never disturbed by `faults` unless the cluster itself is. */
  readonly writer: KubeApi;
  /** The cache reads here. */
  readonly reader: KubeApi;
  readonly namespace: string;
  /** Age up to which a state may be shown: CacheLimits.staleAfterMs. */
  readonly limitMs: number;
  /** Disturbs, and resolves when it is over. */
  readonly faults: () => Promise<void>;
};

/** Writes and reads without a pause while a cluster or its watches are disturbed, and judges each read. */
export async function runFaults(options: FaultRunOptions): Promise<FaultRun> {
  const { reader, namespace, limits } = options;
  const { counted, starts } = countStarts(reader, machineClock);
  const caches = openClusterCaches({
    api: counted,
    kinds: ["Service"],
    clock: machineClock,
    reconnects: makeReconnects(machineClock),
    ...(limits && { limits }),
    onEvent: () => undefined,
  });
  const cache = caches.cacheOf(namespace);
  await cache.current(["Service"]);
  const freshness = makeFreshness();
  const over = new AbortController();
  const first = starts.length + 1;
  const work = [write(options, freshness, over.signal), read(cache, { freshness, ...options }, over.signal)] as const;
  try {
    await sleep(500);
    await options.faults();
  } finally {
    over.abort();
  }
  const [, readings] = await Promise.all(work);
  const different = await differences(cache, options);
  await caches.close();
  // A little less than a second: a busy machine may send one late, and the next one is then nearer to it.
  const startsPerSecond = mostWithin(starts.slice(first), 900);
  return { writes: freshness.writes(), ...readings, startsPerSecond, different };
}

/** Creates, changes and deletes, about ten times a second. A write that fails has happened or not: its name is left out. */
async function write({ writer, namespace }: FaultRunOptions, freshness: Freshness, over: AbortSignal): Promise<void> {
  const place = { kind: "Service", namespace } as const;
  const spec = { clusterIP: "None", ports: [{ port: 80 }] };
  for (let n = 0; !over.aborted; n += 1) {
    const named = { ...place, name: `service-${n}` };
    try {
      freshness.wrote(await writer.create(place, { metadata: { name: named.name }, spec }));
      const labels = { changed: "yes" };
      freshness.wrote(await writer.patch(named, { type: "merge", body: { metadata: { labels } } }));
      if (n % 2 === 0) continue;
      freshness.deleting(named.name);
      await writer.delete(named, { propagation: "Background" });
      freshness.deleted(named.name);
    } catch {
      freshness.deleting(named.name);
    } finally {
      await sleep(200);
    }
  }
}

async function read(
  cache: NamespaceCache,
  { freshness, limitMs }: { readonly freshness: Freshness; readonly limitMs: number },
  over: AbortSignal,
) {
  let reads = 0;
  let refused = 0;
  let wrong = 0;
  let oldestMs = 0;
  while (!over.aborted) {
    const at = performance.now();
    const isRefused = await cache.current(["Service"]).then(
      () => false,
      () => true,
    );
    if (isRefused) refused += 1;
    else {
      const lateness = freshness.lateness(cache.all("Service"), at);
      reads += 1;
      if (lateness > limitMs) wrong += 1;
      oldestMs = Math.max(oldestMs, Math.round(lateness));
    }
    await sleep(20);
  }
  return { reads, refused, wrong, oldestMs };
}

async function differences(cache: NamespaceCache, { writer, namespace, limitMs }: FaultRunOptions): Promise<number> {
  await sleep(limitMs / 10);
  await cache.current(["Service"]);
  const real = new Map<string, string>();
  let next: string | undefined;
  do {
    const page = await writer.list({ kind: "Service", namespace }, { limit: 500, ...(next !== undefined && { next }) });
    for (const { metadata } of page.items) real.set(metadata.name, metadata.resourceVersion);
    ({ next } = page);
  } while (next !== undefined);
  const shown = new Map(cache.all("Service").map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  const names = new Set([...real.keys(), ...shown.keys()]);
  return [...names].filter((name) => real.get(name) !== shown.get(name)).length;
}
