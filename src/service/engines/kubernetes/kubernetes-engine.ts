import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import {
  aroundEach,
  type ChangesRequest,
  type OpenedEngine,
  type Engine,
  type EngineAbout,
  type Readiness,
  Refusal,
  refusingIncapable,
} from "../../engine.ts";
import { type ClusterConfig, kubernetesLimits, TITLE } from "./cluster/cluster-config.ts";
import { checkClusters, foundLines } from "./config/check-clusters.ts";
import { currentContext, readClusters } from "./config/read-clusters.ts";
import { makeChangeFeed, notingWrites, type ChangeFeed } from "../../change-feed.ts";
import { JOB_RETRIES } from "../../workloads/lifecycle/back-off.ts";
import { makeSerialQueue } from "../../workloads/lifecycle/queues.ts";
import { logOperations } from "./logs/log-operations.ts";
import { lokiNotices } from "./logs/loki.ts";
import { type OpenedRegion, openRegions } from "./regions.ts";
import { readOperations } from "./read/read-operations.ts";
import { finishServices } from "./write/create-service.ts";
import { forgetStops, recordEndsOf } from "./write/background-notes.ts";
import type { WriteParts } from "./write/target.ts";
import { serviceWrites } from "./write/change-service.ts";
import { jobWrites } from "./write/job-writes.ts";
import { jobKinds, type NamespaceCache, serviceKinds } from "./cache/namespace-cache.ts";
import { namespacesOf, regionOf } from "./read/place.ts";

/**
 * Reads the clusters, asks each of them, and opens the engine on them. Throws an Error with sentences when a setting is
 * wrong or a cluster doesn't answer; nothing is running then.
 */
export async function startKubernetes(
  { clustersPath }: { readonly clustersPath: string | undefined },
  { dataDir, ...parts }: Pick<KubernetesEngineOptions, "users" | "clock" | "onEvent"> & { readonly dataDir: string },
): Promise<OpenedEngine & { readonly found: readonly string[] }> {
  const { users, clock = machineClock } = parts;
  const clusters =
    clustersPath === undefined ? [await currentContext(users, clock)] : await clustersIn(clustersPath, users);
  const found = await checkClusters(clusters, users, clock);
  const opened = await openKubernetesEngine({ ...parts, clusters });
  return { ...opened, found: [...foundLines(found), ...collectedBefore(dataDir)] };
}

/** The lines that earlier versions collected are of no use any more. */
function collectedBefore(dataDir: string): string[] {
  const file = join(dataDir, "kubernetes-logs.sqlite");
  return existsSync(file)
    ? [`Gantry doesn't collect logs any more, and doesn't read ${file}: delete it, with its -wal and -shm.`]
    : [];
}

async function clustersIn(path: string, users: readonly string[]): Promise<readonly ClusterConfig[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Nothing was started: SERVICE_CLUSTERS can't be read (${why}). Set it to the path of a YAML file.`);
  });
  return readClusters(text, { path, users });
}

/** How the Kubernetes engine is opened. */
export type KubernetesEngineOptions = {
  readonly clusters: readonly ClusterConfig[];
  readonly users: readonly string[];
  /** Background actions and failures, for the caller's log. */
  readonly onEvent: (message: string, data: object) => void;
  readonly clock?: Clock;
  /** How many times a failed job is tried again; 6. */
  readonly jobRetries?: number;
};

/**
 * Opens an engine whose workloads are objects of Kubernetes clusters: they run on when it is closed, and what others
 * change is seen. Throws an Error that says what was tried when a cluster doesn't answer; nothing is left open then.
 */
export async function openKubernetesEngine(options: KubernetesEngineOptions): Promise<OpenedEngine> {
  const { clusters, users, onEvent, clock = machineClock, jobRetries = JOB_RETRIES } = options;
  const opened = await openRegions(clusters, { users, clock, onEvent });
  const regions = new Map(opened.map((region) => [region.config.region, region]));
  const parts: WriteParts = { regions, clock, onEvent, queue: makeSerialQueue(), jobRetries };
  const notices = await lokiNotices(parts);
  const closing = new AbortController();
  const finishing = finishServices(parts, { users, closing: closing.signal });
  const recording = opened.map((region) => recordEndsOf({ ...parts, region }, closing.signal));
  const endForgetting = forgetStops(parts);
  const feed = makeChangeFeed(parts.clock);
  const watched = watchChanges(parts, feed);
  const operations: Engine = {
    ...readOperations(parts),
    ...serviceWrites(parts),
    ...jobWrites(parts),
    ...logOperations(parts),
  };
  const engine = notingWrites(operations, feed);
  const cannotIn = (name: string) => aboutOf(opened).regions.find((region) => region.name === name)?.cannot ?? [];
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    closing.abort();
    feed.close();
    watched.end();
    endForgetting();
    await parts.queue.idle();
    await finishing;
    await Promise.all(recording);
    await Promise.all(opened.map((region) => region.close()));
  }

  return {
    engine: refusingWhenClosed(refusingIncapable(engine, { title: TITLE, cannotIn }), closing.signal),
    async changes(request) {
      if (closing.signal.aborted) throw new Refusal(503, STOPPING);
      await watched.begin(request);
      return await feed.read(request);
    },
    endWaits: feed.close,
    about: () => aboutOf(opened),
    ready: () => (closed ? { ok: false, reason: STOPPING } : readinessOf(opened)),
    keepsWorkloads: true,
    close: () => (closed ??= close()),
    notices,
  };
}

const STOPPING = "the workload API is stopping: try again after its restart";

function aboutOf(opened: readonly OpenedRegion[]): EngineAbout {
  const regions = opened.map(({ config, version, problem }) => ({
    name: config.region,
    version,
    services: true,
    jobs: config.jobs,
    cannot: kubernetesLimits(config),
    problem: problem()?.sentence,
  }));
  return { name: "kubernetes", title: TITLE, regions, updates: ["image", "env", "revision"] };
}

/** One cluster that answers is enough to serve requests; those of the others are refused with the reason. */
function readinessOf(opened: readonly OpenedRegion[]): Readiness {
  const problems = opened.map(({ config, problem }) => ({ region: config.region, problem: problem() }));
  if (problems.some(({ problem }) => !problem?.isAway)) return { ok: true };
  const reasons = problems.map(({ region, problem }) => `${region}: ${problem?.sentence ?? ""}`);
  return { ok: false, reason: `No cluster can be read. ${reasons.join(" ")}` };
}

function refusingWhenClosed(engine: Engine, closing: AbortSignal): Engine {
  return aroundEach(engine, async (run) => {
    if (closing.aborted) throw new Refusal(503, STOPPING);
    return await run();
  });
}

/**
 * Tells the feed what the watches of the cluster say. Every object that a service or a job is read from counts, so a change
 * is noted more often than a list shows one.
 */
function watchChanges({ regions }: Pick<WriteParts, "regions">, feed: Pick<ChangeFeed, "note">) {
  const watched = new Map<string, { readonly cache: NamespaceCache; readonly ends: readonly (() => void)[] }>();
  return {
    /**
     * Notes each change in the namespaces of this user from now on. Namespaces that came since the last call are added.
     * Throws a `Refusal` for an unknown region, and where the user has no namespace.
     */
    async begin({ username, region: name, signal }: ChangesRequest): Promise<void> {
      const region = regionOf({ regions }, name, [...regions.keys()]);
      const { names } = await namespacesOf(region, username, signal);
      for (const namespace of names) {
        const key = JSON.stringify([username, name, namespace]);
        const cache = region.cacheOf(namespace);
        const before = watched.get(key);
        // A namespace that went and came back has another cache.
        if (before?.cache === cache) continue;
        for (const end of before?.ends ?? []) end();
        const { config } = region;
        const all = { service: serviceKinds(config), job: config.jobs ? jobKinds(config) : [] };
        const ends = (["service", "job"] as const).flatMap((kind) => {
          const note = () => feed.note({ username, region: name, kind });
          // What is there may be other than what was read before this cache began to watch.
          note();
          return all[kind].map((each) => cache.onChange(each, note));
        });
        watched.set(key, { cache, ends });
      }
    },
    end() {
      for (const end of [...watched.values()].flatMap(({ ends }) => ends)) end();
      watched.clear();
    },
  };
}
