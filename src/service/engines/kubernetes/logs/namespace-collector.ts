import { setTimeout as sleep } from "node:timers/promises";
import { unawaited } from "../../../../platform/unawaited.ts";
import { restUnlessAborted } from "../../../../platform/waiting.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";
import type { CachedKind, NamespaceCache } from "../cache/namespace-cache.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import { collectContainer, type ContainerLog, type ContainerLogDeps } from "./container-log.ts";
import { sourcesOf, collectedKinds, type CollectedWorkload, collectedWorkloads, existingKeys } from "./log-sources.ts";
import { collectedUntil, markCollected, namespaceKey } from "./stored-logs.ts";
import { sourceKey } from "./log-reading.ts";

type NamespaceCollectorDeps = Omit<ContainerLogDeps, "logs"> & {
  readonly config: ClusterConfig;
  readonly cache: NamespaceCache;
  readonly logs: LogWriter;
  readonly now: () => Date;
  /** How often it is remembered that logs are collected. */
  readonly beatMs: number;
  /** Of all namespaces: each looks at the containers of a workload that aren't followed. */
  readonly lookers: Set<(workload: string) => Promise<void>>;
  /** Told why no logs can be collected, and undefined when they can. */
  readonly onProblem: (problem: string | undefined) => void;
};

/** Changes of pods come in bursts. */
const SETTLE_MS = 50;

type Collected = { readonly log: ContainerLog; readonly key: string; readonly stop: AbortController };
type Collection = {
  readonly deps: NamespaceCollectorDeps;
  readonly signal: AbortSignal;
  /** By pod uid and container. */
  readonly containers: Map<string, Collected>;
  /** Workloads that existed, by their name in the log store. */
  known: ReadonlySet<string>;
};

/** Collects the logs of a namespace until the signal is aborted. Rejects only for a bug. */
export async function collectNamespace(deps: NamespaceCollectorDeps, signal: AbortSignal): Promise<void> {
  const collection: Collection = { deps, signal, containers: new Map(), known: new Set() };
  const changes = watchChanges(collection);
  const look = async (workload: string): Promise<void> => {
    const ofWorkload = [...collection.containers.values()].filter(({ key }) => key === workload);
    await Promise.all(ofWorkload.map(({ log }) => log.look()));
  };
  deps.lookers.add(look);
  try {
    await untilCurrent(deps, signal);
    await noteGap(deps);
    collection.known = existingKeys(deps.cache, deps.config);
    // Logs of workloads that were deleted while nobody collected; the API server was just asked which ones exist.
    await deps.logs.keepOnly(collection.known, namespaceKey(placeOf(deps)));
    const beating = beat(deps, signal);
    while (!signal.aborted) {
      await reconcile(collection);
      await changes.next(signal);
    }
    await beating;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    deps.lookers.delete(look);
    changes.end();
    await Promise.all([...collection.containers.values()].map(({ log }) => log.over));
  }
}

function placeOf({ config, cache }: NamespaceCollectorDeps) {
  return { region: config.region, namespace: cache.namespace };
}

function watchChanges(collection: Collection) {
  const { cache, config } = collection.deps;
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
      await sleep(SETTLE_MS, undefined, { signal });
      changed = Promise.withResolvers();
    },
    end() {
      for (const end of ends) end();
    },
  };
}

/** Asks until the API server has said which workloads and pods exist. */
async function untilCurrent(deps: NamespaceCollectorDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    const problem = await problemOf(deps, signal);
    deps.onProblem(problem);
    if (problem === undefined) return;
    await sleep(deps.backOffMs.max, undefined, { signal });
  }
}

async function problemOf(
  { cache, config }: NamespaceCollectorDeps,
  signal: AbortSignal,
  kinds: readonly CachedKind[] = ["Pod", ...collectedKinds(config)],
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
async function beat(deps: NamespaceCollectorDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) return;
    const { cache, config } = deps;
    const failing = new Set(cache.health().flatMap(({ kind, failure }) => (failure ? [kind] : [])));
    const kinds = (["Pod", ...collectedKinds(config)] as const).filter((kind) => failing.has(kind));
    const problem = await problemOf(deps, signal, kinds).catch(() => "stopped");
    deps.onProblem(problem);
    if (problem === undefined) await markCollected(deps.logs, placeOf(deps), deps.now()).catch(() => undefined);
    await sleep(deps.beatMs, undefined, { signal }).catch(() => undefined);
  }
}

/** After a time in which nobody collected, each log says so: pods that ended in it left nothing. */
async function noteGap(deps: NamespaceCollectorDeps): Promise<void> {
  const { cache, config, logs, now, beatMs } = deps;
  const until = await collectedUntil(logs, placeOf(deps)).catch(() => undefined);
  if (!until || now().getTime() - until.getTime() < 3 * beatMs) return;
  const span = `${until.toISOString().slice(0, 19)}Z to ${now().toISOString().slice(0, 19)}Z`;
  for (const { key, name, createdAt, isLive, sources } of collectedWorkloads(cache, config)) {
    if (!isLive || Date.parse(createdAt) > until.getTime()) continue;
    const text = `[gantry] no log was collected from ${span}: lines of pods that ended then are missing`;
    logs.append(key, sources[0]?.pod ?? name, text);
  }
}

/** Starts and ends the collection of containers as the cache says. */
async function reconcile(collection: Collection): Promise<void> {
  const { deps, containers } = collection;
  const workloads = collectedWorkloads(deps.cache, deps.config);
  const existing = existingKeys(deps.cache, deps.config);
  for (const key of collection.known) if (!existing.has(key)) await forget(collection, key);
  collection.known = existing;
  const pods = new Set(deps.cache.all("Pod").map(({ metadata }) => metadata.uid));
  for (const [id, { log }] of containers) if (!pods.has(id.slice(0, id.indexOf("/")))) log.podGone();
  for (const workload of workloads) follow(collection, workload);
}

function follow({ deps, containers, signal }: Collection, { key, sources }: CollectedWorkload): void {
  for (const source of sources) {
    const id = sourceKey(source);
    const collected = containers.get(id);
    if (collected) {
      collected.log.update(source);
      continue;
    }
    const stop = new AbortController();
    const log = collectContainer(deps, source, AbortSignal.any([signal, stop.signal]));
    containers.set(id, { log, key, stop });
    unawaited(log.over.finally(() => containers.delete(id)));
  }
}

async function forget({ deps, containers }: Collection, key: string): Promise<void> {
  const collected = [...containers.values()].filter((each) => each.key === key);
  for (const { stop } of collected) stop.abort(new Error("the workload was deleted"));
  await Promise.all(collected.map(({ log }) => log.over));
  await deps.logs.forget(key);
}
