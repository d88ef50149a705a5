import { join } from "node:path";
import type { Kysely } from "kysely";
import type { Clock } from "../../platform/clock.ts";
import { openSqlite } from "../../platform/database/sqlite.ts";
import { refusingIncapable, Refusal, type Engine, type EngineAbout, type Limit, type OpenedEngine } from "../engine.ts";
import { makeChangeFeed, notingWrites } from "../change-feed.ts";
import type { EngineContext } from "./engine-context.ts";
import type { EngineParts } from "./engine-parts.ts";
import { jobOperations } from "./jobs/job-operations.ts";
import { JOB_REGION } from "./jobs/job-run.ts";
import { JOB_RETRIES, type BackOff } from "./lifecycle/back-off.ts";
import { makeSerialQueue, makeStartQueue } from "./lifecycle/queues.ts";
import type { LogLimits } from "./logs/log-bounds.ts";
import { openLogStore } from "./logs/log-writer.ts";
import { makeLedger, type Quotas } from "./quota.ts";
import { recover } from "./recovery.ts";
import type { Runtime } from "./runtime.ts";
import { serviceOperations } from "./services/service-operations.ts";
import { refusingWhenExhausted, withFileNamed, lockFolder, migrate } from "./state/data-folder.ts";
import { stateMigrations } from "./state/migrations.ts";
import { namedAsHere, type StateTables } from "./state/store.ts";

/** Options of every engine that runs workloads over a `Runtime`. */
export type WorkloadOptions = {
  /** The folder of saved state and logs. Only one engine at a time can use it. */
  readonly dataDir: string;
  /** Where services may run. Jobs run only in `us`. */
  readonly regions: readonly string[];
  /** Users whose workloads run; everyone if undefined. Workloads of others are kept but not started. */
  readonly users?: readonly string[];
  /** The pause before a crashed container is started again, doubled each time; 1 s, up to 1 min. */
  readonly backOffMs?: BackOff;
  /** How many times a failed job is retried; 6. */
  readonly jobRetries?: number;
  /** An instance without ports is ready after this long, or five times as long in a new revision; 1 s. */
  readonly readyAfterMs?: number;
  readonly clock: Clock;
  /** 8 MiB a day, 32 MiB a workload, 256 MiB in total. */
  readonly logLimits?: LogLimits;
  /** Opens the state file; tests replace it to simulate a full disk. */
  readonly openState?: (path: string) => Kysely<StateTables>;
  /** Background actions and failures, for the caller's log. */
  readonly onEvent?: (message: string, data: object) => void;
};

/** The engine's description; the same in each region. */
type RuntimeAbout = Pick<EngineAbout, "name" | "title" | "images"> & {
  readonly version: string;
  readonly cannot: readonly Limit[];
};

type RuntimeOptions = {
  readonly about: RuntimeAbout;
  /** A runtime may have its own tables in the state file. */
  readonly runtime: (context: Pick<EngineContext, "dataDir" | "clock" | "onEvent" | "state">) => Runtime;
  readonly quotas: Quotas;
  /** Maximum number of units starting at the same time. */
  readonly startsAtOnce: number;
};

/**
 * Opens an engine over a runtime and restores the saved workloads: units that still run are adopted, services that
 * should run do, interrupted jobs run again. Throws when another engine uses the folder.
 */
export async function openWorkloadEngine(options: WorkloadOptions, runtime: RuntimeOptions): Promise<OpenedEngine> {
  const { dataDir } = options;
  const unlock = await withFileNamed(dataDir, () => lockFolder(dataDir));
  return await openLocked(options, runtime, unlock).catch((error: unknown) => {
    unlock();
    throw error;
  });
}

async function openLocked(
  options: WorkloadOptions,
  runtime: RuntimeOptions,
  unlock: () => void,
): Promise<OpenedEngine> {
  const closing = new AbortController();
  const leaving = new AbortController();
  const background = new Set<Promise<unknown>>();
  const signals = { closing: closing.signal, leaving: leaving.signal };
  const feed = makeChangeFeed(options.clock);
  const context = await openDeps(options, runtime, { ...signals, background, changed: feed.note });
  let closed: Promise<void> | undefined;
  const parts: EngineParts = {
    context,
    regions: options.regions,
    services: new Map(),
    jobs: new Map(),
    unreadable: new Map(),
    queue: makeSerialQueue(),
    ensureOpen() {
      if (closed) throw new Refusal(503, STOPPING);
    },
  };
  const notices = await recover(parts, { regions: options.regions, users: options.users });
  const { title, cannot } = runtime.about;
  const about = aboutIn(options.regions, runtime.about);
  const engine: Engine = notingWrites({ ...jobOperations(parts), ...serviceOperations(parts) }, feed);
  const regions = new Set(about.regions.map(({ name }) => name));
  return {
    changes(request) {
      if (regions.has(request.region)) return feed.read(request);
      throw new Refusal(400, `unknown region ${request.region}: use ${[...regions].join(", ")}`);
    },
    endWaits: feed.close,
    engine: refusingIncapable(refusingWhenExhausted(engine), { title, cannotIn: () => cannot }),
    about: () => about,
    ready: () => (closed ? { ok: false, reason: STOPPING } : context.runtime.readiness()),
    keepsWorkloads: context.runtime.keepsUnits,
    close({ keepWorkloads = false } = {}) {
      closing.abort();
      feed.close();
      const isLeaving = keepWorkloads && context.runtime.keepsUnits;
      return (closed ??= closeAll(parts, background, isLeaving ? leaving : undefined).finally(unlock));
    },
    notices,
  };
}

function aboutIn(regions: readonly string[], { version, cannot, ...about }: RuntimeAbout): EngineAbout {
  const everywhere = [...new Set([...regions, JOB_REGION])];
  const described = everywhere.map((region) => ({
    name: region,
    version,
    services: regions.includes(region),
    jobs: region === JOB_REGION,
    cannot,
  }));
  return { ...about, regions: described, updates: ["image", "env", "revision"] };
}

const STOPPING = "the workload API is stopping: try again after its restart";

type Background = Pick<EngineContext, "changed" | "closing" | "leaving"> & {
  readonly background: Set<Promise<unknown>>;
};

async function openDeps(
  options: WorkloadOptions,
  { runtime, startsAtOnce, quotas }: RuntimeOptions,
  { background, ...signals }: Background,
): Promise<EngineContext> {
  const { dataDir, clock, onEvent = () => undefined } = options;
  const state = await openState(join(dataDir, "state.sqlite"), options.openState);
  const logs = await openLogStore(join(dataDir, "logs.sqlite"), { limits: options.logLimits, clock, onEvent }).catch(
    async (error: unknown) => {
      await state.destroy();
      throw error;
    },
  );
  return {
    runtime: runtime({ dataDir, clock, onEvent, state }),
    state,
    logs,
    dataDir,
    backOff: options.backOffMs ?? { first: 1_000, max: 60_000 },
    jobRetries: options.jobRetries ?? JOB_RETRIES,
    readyAfterMs: options.readyAfterMs ?? 1_000,
    clock,
    onEvent,
    ledger: makeLedger(quotas),
    starts: makeStartQueue({ atOnce: startsAtOnce, alive: quotas.host.instances }, clock),
    ...signals,
    inBackground(work) {
      const watched = work
        .catch((error: unknown) => onEvent("background work failed", { error }))
        .finally(() => background.delete(watched));
      background.add(watched);
    },
  };
}

async function openState(path: string, open: WorkloadOptions["openState"] = openSqlite): Promise<Kysely<StateTables>> {
  return await withFileNamed(path, async () => {
    const state = open(path);
    await migrate(state, path, stateMigrations);
    return state.withPlugin(namedAsHere);
  });
}

/**
 * Accepted requests are finished first: a service that is just being created is stopped, not forgotten. With `leaving`
 * the units run on.
 */
async function closeAll(
  { context, services, jobs, queue }: EngineParts,
  background: Set<Promise<unknown>>,
  leaving: AbortController | undefined,
): Promise<void> {
  await queue.idle();
  await Promise.all([
    ...[...services.values()].map(({ runner, service }) => {
      return leaving && !service.deleting ? runner.leave() : runner.shutDown();
    }),
    ...[...jobs.values()].map(({ run }) => (leaving ? run?.leave() : run?.stop())),
  ]);
  leaving?.abort();
  await Promise.all(background);
  await context.runtime.close();
  await context.logs.close();
  await context.state.destroy();
}
