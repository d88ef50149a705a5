import { unawaited, restUnlessAborted } from "../../../../platform/waiting.ts";
import type { CachedKind, NamespaceCache } from "../cache/namespace-cache.ts";
import type { CollectorParts } from "./collector-parts.ts";
import { collectContainer, type ContainerLog } from "./container-log.ts";
import { sourcesOf, collectedKinds, type CollectedWorkload, collectedWorkloads, existingKeys } from "./log-sources.ts";
import { collectedUntil, markCollected, namespaceKey } from "./stored-logs.ts";
import { sourceKey } from "./log-reading.ts";

/** Changes of pods come in bursts. */
const SETTLE_MS = 50;

type Collected = { readonly log: ContainerLog; readonly key: string; readonly stop: AbortController };
type Collection = Collecting & {
  readonly parts: CollectorParts;
  readonly signal: AbortSignal;
  /** By pod uid and container. */
  readonly containers: Map<string, Collected>;
  /** Workloads that existed, by their name in the log store. */
  known: ReadonlySet<string>;
};

type Collecting = {
  readonly cache: NamespaceCache;
  /** Told why no logs can be collected, and undefined when they can. */
  readonly onProblem: (problem: string | undefined) => void;
};

/** Collects the logs of a namespace until the signal is aborted. Rejects only for a bug. */
export async function collectNamespace(
  parts: CollectorParts,
  collecting: Collecting,
  signal: AbortSignal,
): Promise<void> {
  const { config, logs, lookers } = parts;
  const { cache } = collecting;
  const collection: Collection = { ...collecting, parts, signal, containers: new Map(), known: new Set() };
  const changes = watchChanges(collection);
  const look = async (workload: string): Promise<void> => {
    const ofWorkload = [...collection.containers.values()].filter(({ key }) => key === workload);
    await Promise.all(ofWorkload.map(({ log }) => log.look()));
  };
  lookers.add(look);
  try {
    await untilCurrent(collection);
    await noteGap(collection);
    collection.known = existingKeys(cache, config);
    // Logs of workloads that were deleted while nobody collected; the API server was just asked which ones exist.
    await logs.keepOnly(collection.known, namespaceKey(placeOf(collection)));
    const beating = beat(collection);
    while (!signal.aborted) {
      await reconcile(collection);
      await changes.next(signal);
    }
    await beating;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    lookers.delete(look);
    changes.end();
    await Promise.all([...collection.containers.values()].map(({ log }) => log.over));
  }
}

function placeOf({ parts: { config }, cache }: Collection) {
  return { region: config.region, namespace: cache.namespace };
}

function watchChanges(collection: Collection) {
  const { cache } = collection;
  const { config, clock } = collection.parts;
  let changed = Promise.withResolvers<void>();
  const ends = [
    ...collectedKinds(config).map((kind) => cache.onChange(kind, () => changed.resolve())),
    cache.onChange("Pod", (pod) => {
      // At once, because the pod may be gone a moment later: a last run that wasn't read is missed only if it is known.
      for (const source of pod ? sourcesOf("", pod) : []) {
        const collected = collection.containers.get(sourceKey(source));
        collected?.log.update({ ...source, workload: collected.key });
      }
      changed.resolve();
    }),
  ];
  return {
    async next(signal: AbortSignal): Promise<void> {
      await restUnlessAborted(changed.promise, signal);
      await clock.sleep(SETTLE_MS, signal);
      changed = Promise.withResolvers();
    },
    end() {
      for (const end of ends) end();
    },
  };
}

/** Asks until the API server has said which workloads and pods exist. */
async function untilCurrent(collection: Collection): Promise<void> {
  const { parts, onProblem, signal } = collection;
  for (;;) {
    const problem = await problemOf(collection, ["Pod", ...collectedKinds(parts.config)]);
    onProblem(problem);
    if (problem === undefined) return;
    await parts.clock.sleep(parts.backOffMs.max, signal);
  }
}

async function problemOf(
  { cache, signal }: Pick<Collection, "cache" | "signal">,
  kinds: readonly CachedKind[],
): Promise<string | undefined> {
  try {
    await cache.current(kinds, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Remembers from time to time that logs are collected, as long as the cluster answers: the lease was renewed lately, so only
 * what fails is asked for.
 */
async function beat(collection: Collection): Promise<void> {
  const { parts, cache, onProblem, signal } = collection;
  const { config, logs, clock, beatMs } = parts;
  for (;;) {
    if (signal.aborted) return;
    const failing = new Set(cache.health().flatMap(({ kind, failure }) => (failure ? [kind] : [])));
    const kinds = (["Pod", ...collectedKinds(config)] as const).filter((kind) => failing.has(kind));
    const problem = await problemOf(collection, kinds).catch(() => "stopped");
    onProblem(problem);
    if (problem === undefined) await markCollected(logs, placeOf(collection), clock.now()).catch(() => undefined);
    await clock.sleep(beatMs, signal).catch(() => undefined);
  }
}

/** After a time in which nobody collected, each log says so: pods that ended in it left nothing. */
async function noteGap(collection: Collection): Promise<void> {
  const { cache, parts } = collection;
  const { config, logs, clock, beatMs } = parts;
  const until = await collectedUntil(logs, placeOf(collection)).catch(() => undefined);
  const now = clock.now();
  if (!until || now.getTime() - until.getTime() < 3 * beatMs) return;
  const span = `${until.toISOString().slice(0, 19)}Z to ${now.toISOString().slice(0, 19)}Z`;
  for (const { key, name, createdAt, isLive, sources } of collectedWorkloads(cache, config)) {
    if (!isLive || Date.parse(createdAt) > until.getTime()) continue;
    const text = `[gantry] no log was collected from ${span}: lines of pods that ended then are missing`;
    logs.append(key, sources[0]?.pod ?? name, text);
  }
}

/** Starts and ends the collection of containers as the cache says. */
async function reconcile(collection: Collection): Promise<void> {
  const { cache, containers, parts } = collection;
  const workloads = collectedWorkloads(cache, parts.config);
  const existing = existingKeys(cache, parts.config);
  for (const key of collection.known) if (!existing.has(key)) await forget(collection, key);
  collection.known = existing;
  const pods = new Set(cache.all("Pod").map(({ metadata }) => metadata.uid));
  for (const [id, { log }] of containers) if (!pods.has(id.slice(0, id.indexOf("/")))) log.podGone();
  for (const workload of workloads) follow(collection, workload);
}

function follow({ parts, containers, signal }: Collection, { key, sources }: CollectedWorkload): void {
  for (const source of sources) {
    const id = sourceKey(source);
    const collected = containers.get(id);
    if (collected) {
      collected.log.update(source);
      continue;
    }
    const stop = new AbortController();
    const log = collectContainer(parts, source, AbortSignal.any([signal, stop.signal]));
    containers.set(id, { log, key, stop });
    unawaited(log.over.finally(() => containers.delete(id)));
  }
}

async function forget({ parts, containers }: Collection, key: string): Promise<void> {
  const collected = [...containers.values()].filter((each) => each.key === key);
  for (const { stop } of collected) stop.abort(new Error("the workload was deleted"));
  await Promise.all(collected.map(({ log }) => log.over));
  await parts.logs.forget(key);
}
