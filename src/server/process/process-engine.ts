import { join } from "node:path";
import type { Kysely } from "kysely";
import { openSqlite } from "../../sqlite.ts";
import { Refusal, type Engine } from "../engine.ts";
import type { BackOff } from "./back-off.ts";
import { makeCatalogue, type CatalogueEntry } from "./catalogue.ts";
import type { EngineParts, RunSurface } from "./engine-parts.ts";
import { lockFolder } from "./folder-lock.ts";
import { jobOperations } from "./job-operations.ts";
import { closeFronts } from "./live-service.ts";
import { createLogTables, DEFAULT_LOG_LIMITS, type LogLimits, type LogTables } from "./log-store.ts";
import { openLogWriter } from "./log-writer.ts";
import { makeMemoryWatch } from "./memory-watch.ts";
import { recover } from "./recovery.ts";
import { makeSerialQueue } from "./serial-queue.ts";
import { serviceOperations } from "./service-operations.ts";
import { createStateTables, type StateTables } from "./tables.ts";

export type ProcessEngineOptions = {
  /** Everything lies here: what is remembered, logs, volumes. One engine at a time works in it. */
  readonly dataDir: string;
  /** Where services may run. Jobs run only in `us`. */
  readonly regions: readonly string[];
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
  readonly now?: () => Date;
  /** 8 MiB a day and workload, 7 days. */
  readonly logLimits?: LogLimits;
  /** What the engine does by itself and what fails in the background, for the caller's log. */
  readonly onEvent?: (message: string, data: object) => void;
};

export type ProcessEngine = {
  readonly engine: Engine;
  /** Ends every process and resolves when all are gone. Services run again with the next engine in this folder. */
  readonly close: () => Promise<void>;
  readonly catalogue: readonly CatalogueEntry[];
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
  const unlock = lockFolder(options.dataDir);
  try {
    const surface = await openSurface(options);
    return await openWith(surface, { regions: options.regions, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openSurface(options: ProcessEngineOptions): Promise<RunSurface> {
  const onEvent = options.onEvent ?? (() => undefined);
  const now = options.now ?? (() => new Date());
  const state: Kysely<StateTables> = openSqlite(join(options.dataDir, "state.sqlite"));
  const logTables: Kysely<LogTables> = openSqlite(join(options.dataDir, "logs.sqlite"));
  await createStateTables(state);
  await createLogTables(logTables);
  return {
    state,
    logs: openLogWriter(logTables, {
      limits: options.logLimits ?? DEFAULT_LOG_LIMITS,
      now,
      onError: (error) => onEvent("log lines could not be written", { error }),
    }),
    memory: makeMemoryWatch(options.memoryPollMs ?? 1_000),
    catalogue: makeCatalogue(options.allowHostCommands ?? false),
    graceMs: options.graceMs ?? 10_000,
    dataDir: options.dataDir,
    backOff: options.backOffMs ?? { first: 1_000, max: 60_000 },
    readyAfterMs: options.readyAfterMs ?? 1_000,
    now,
    onEvent,
  };
}

async function openWith(
  surface: RunSurface,
  { regions, unlock }: { regions: readonly string[]; unlock: () => void },
): Promise<ProcessEngine> {
  const background = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const parts: EngineParts = {
    surface,
    regions,
    services: new Map(),
    jobs: new Map(),
    queue: makeSerialQueue(),
    inBackground(work) {
      const watched = work
        .catch((error: unknown) => surface.onEvent("work in the background failed", { error }))
        .finally(() => background.delete(watched));
      background.add(watched);
    },
    ensureOpen() {
      if (closing) throw new Refusal(503, "the service is stopping: try again when it runs again");
    },
  };
  await recover(parts);
  return {
    engine: { ...jobOperations(parts), ...serviceOperations(parts) },
    close: () => (closing ??= closeAll(parts, background).finally(unlock)),
    catalogue: surface.catalogue,
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
