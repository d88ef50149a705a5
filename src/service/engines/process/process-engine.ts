import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { openSqlite } from "../../../sqlite.ts";
import { Refusal, type Engine } from "../../engine.ts";
import type { BackOff } from "../../workloads/lifecycle/back-off.ts";
import { makeCatalogue, type CatalogueEntry } from "./catalogue.ts";
import type { EngineParts, RunSurface } from "../../workloads/engine-parts.ts";
import { lockFolder } from "../../workloads/state/folder-lock.ts";
import { jobOperations } from "../../workloads/jobs/job-operations.ts";
import { closeFronts } from "../../workloads/services/live-service.ts";
import { connectionsFor, quotasFor, thisMachine, type Machine, type QuotaSettings } from "./host-limits.ts";
import { DEFAULT_LOG_LIMITS, type LogLimits } from "../../workloads/logs/log-bounds.ts";
import { createLogTables, type LogTables } from "../../workloads/logs/log-tables.ts";
import { openLogWriter } from "../../workloads/logs/log-writer.ts";
import { makeMemoryWatch } from "./instances/memory-watch.ts";
import { migrate } from "../../workloads/state/migrate.ts";
import { refusingWhenExhausted } from "../../workloads/state/exhausted.ts";
import { makeConnectionBudget } from "./network/port-front.ts";
import { makeLedger, type Quotas } from "../../workloads/quota.ts";
import { recover } from "../../workloads/recovery.ts";
import { makeSerialQueue } from "../../workloads/lifecycle/serial-queue.ts";
import { serviceOperations } from "../../workloads/services/service-operations.ts";
import { makeSpawnQueue } from "../../workloads/lifecycle/start-queue.ts";
import { withFileNamed } from "../../workloads/state/start-error.ts";
import { stateMigrations, type StateTables } from "../../workloads/state/tables.ts";

export type ProcessEngineOptions = {
  /** Everything lies here: what is remembered, logs, volumes. One engine at a time works in it. */
  readonly dataDir: string;
  /** Where services may run. Jobs run only in `us`. */
  readonly regions: readonly string[];
  /** Users whose workloads run; everyone if undefined. Workloads of others are kept but not started. */
  readonly users?: readonly string[];
  /** Adds the image `host`, whose command is any program of this machine. */
  readonly allowHostCommands?: boolean;
  /** From SIGTERM to SIGKILL; 10 s. */
  readonly graceMs?: number;
  /** Before a crashed process is started again, doubled each time; 1 s, up to 1 min. */
  readonly backOffMs?: BackOff;
  /** How long an instance has to stay up to be ready when its port does not answer before; 1 s. */
  readonly readyAfterMs?: number;
  /** How often memory is looked at; 1 s. */
  readonly memoryPollMs?: number;
  /** Quotas per user and for this host; defaults in host-limits.ts. */
  readonly quotas?: QuotaSettings;
  readonly now?: () => Date;
  /** 8 MiB a day, 32 MiB a workload, 256 MiB in total. */
  readonly logLimits?: LogLimits;
  /** Opens the state file; tests replace it to simulate a full disk. */
  readonly openState?: (path: string) => Kysely<StateTables>;
  /** What the engine does by itself and what fails in the background, for the caller's log. */
  readonly onEvent?: (message: string, data: object) => void;
};

export type ProcessEngine = {
  readonly engine: Engine;
  /** Ends every process and resolves when all are gone. Services run again with the next engine in this folder. */
  readonly close: () => Promise<void>;
  readonly catalogue: readonly CatalogueEntry[];
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
};

/**
 * Opens an engine that runs workloads as processes of this machine, and brings back what the folder remembers: processes
 * that an earlier engine left are ended, services that should run do, interrupted jobs run again.
 * Throws when the system is neither Linux nor macOS, or another engine works in the folder.
 */
export async function openProcessEngine(options: ProcessEngineOptions): Promise<ProcessEngine> {
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw new Error(
      `the process engine runs on Linux and macOS, not on ${process.platform}: use a service elsewhere instead`,
    );
  }
  const { dataDir } = options;
  const unlock = await withFileNamed(dataDir, () => lockFolder(dataDir));
  try {
    const machine = thisMachine();
    const quotas = quotasFor(options.quotas ?? {}, machine);
    const closing = new AbortController();
    const background = new Set<Promise<unknown>>();
    const surface = await openSurface(options, { machine, quotas, closing: closing.signal, background });
    return await openWith(surface, { options, quotas, closing, background, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

type Around = {
  readonly machine: Machine;
  readonly quotas: Quotas;
  readonly closing: AbortSignal;
  readonly background: Set<Promise<unknown>>;
};

async function openSurface(options: ProcessEngineOptions, around: Around): Promise<RunSurface> {
  const onEvent = options.onEvent ?? (() => undefined);
  const now = options.now ?? (() => new Date());
  const state = await openState(join(options.dataDir, "state.sqlite"), options.openState ?? openSqlite);
  const logs = await openLogs(join(options.dataDir, "logs.sqlite")).catch(async (error: unknown) => {
    await state.destroy();
    throw error;
  });
  return {
    state,
    logs: openLogWriter(logs, {
      limits: options.logLimits ?? DEFAULT_LOG_LIMITS,
      now,
      onEvent,
    }),
    memory: makeMemoryWatch(options.memoryPollMs ?? 1_000),
    catalogue: makeCatalogue(options.allowHostCommands ?? false),
    graceMs: options.graceMs ?? 10_000,
    dataDir: options.dataDir,
    backOff: options.backOffMs ?? { first: 1_000, max: 60_000 },
    readyAfterMs: options.readyAfterMs ?? 1_000,
    now,
    onEvent,
    spawns: makeSpawnQueue({
      atOnce: Math.max(MIN_STARTS_AT_ONCE, availableParallelism()),
      alive: around.quotas.host.instances,
    }),
    connections: makeConnectionBudget(connectionsFor(around.machine)),
    closing: around.closing,
    inBackground(work) {
      const watched = work
        .catch((error: unknown) => onEvent("background work failed", { error }))
        .finally(() => around.background.delete(watched));
      around.background.add(watched);
    },
  };
}

const MIN_STARTS_AT_ONCE = 2;

async function openState(path: string, open: (path: string) => Kysely<StateTables>): Promise<Kysely<StateTables>> {
  return await withFileNamed(path, async () => {
    const state = open(path);
    await migrate(state, path, stateMigrations);
    return state;
  });
}

async function openLogs(path: string): Promise<Kysely<LogTables>> {
  return await withFileNamed(path, async () => {
    const logs = openSqlite<LogTables>(path);
    await createLogTables(logs, path);
    return logs;
  });
}

type Opening = Pick<Around, "quotas" | "background"> & {
  readonly options: ProcessEngineOptions;
  readonly closing: AbortController;
  readonly unlock: () => void;
};

async function openWith(surface: RunSurface, opening: Opening): Promise<ProcessEngine> {
  const { options, quotas, closing, background, unlock } = opening;
  let closed: Promise<void> | undefined;
  const parts: EngineParts = {
    surface,
    regions: options.regions,
    services: new Map(),
    jobs: new Map(),
    unreadable: new Map(),
    ledger: makeLedger(quotas),
    queue: makeSerialQueue(),
    ensureOpen() {
      if (closed) throw new Refusal(503, "the workload API is stopping: try again after its restart");
    },
  };
  const notices = await recover(parts, { regions: options.regions, users: options.users });
  return {
    engine: refusingWhenExhausted({ ...jobOperations(parts), ...serviceOperations(parts) }),
    close() {
      closing.abort();
      return (closed ??= closeAll(parts, background).finally(unlock));
    },
    catalogue: surface.catalogue,
    notices,
  };
}

/** What was accepted before is done first: a service that is just being created is stopped, not forgotten. */
async function closeAll({ surface, services, jobs, queue }: EngineParts, background: Set<Promise<unknown>>) {
  await queue.idle();
  await Promise.all([
    ...[...services.values()].map((live) => live.runner.shutDown()),
    ...[...jobs.values()].map((live) => live.run?.stop()),
  ]);
  await Promise.all(background);
  await Promise.all([...services.values()].map(closeFronts));
  await surface.logs.close();
  await surface.state.destroy();
}
