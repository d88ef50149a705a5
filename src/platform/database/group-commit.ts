import type { DatabaseConnection, Dialect, Driver, SqliteDialect } from "kysely";
import { createTurns } from "../turns.ts";
import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import { unawaited } from "../waiting.ts";

/** Statements after which nothing has to reach the disk that was not written before. */
const WRITES_NOTHING = /^\s*(?:select|begin|commit|rollback)\b/iu;

/**
 * Two dialects of one database. With `waiting`, transactions and single statements resolve once they are on disk.
 * Others run meanwhile, and share the next sync. When the sync fails, the write rejects, but may still be stored. With
 * `ahead`, they resolve before the sync, and are on disk after the next write of `waiting`.
 */
export function groupCommit(
  dialect: SqliteDialect,
  { file, checkpoints }: { readonly file: SyncedFile; readonly checkpoints: Checkpoints },
): { readonly waiting: Dialect; readonly ahead: Dialect } {
  const turns = createQueue();
  const base: Omit<Dialect, "createDriver"> = {
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    // Turns are given below: Kysely would give the next one only after the wait for the disk.
    createAdapter: () => Object.defineProperty(dialect.createAdapter(), "supportsMultipleConnections", { value: true }),
  };
  const driverOf = (afterWriting: () => Promise<void>): Driver => {
    const driver = dialect.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    const destroy = driver.destroy.bind(driver);
    let hasWritten = false;
    return Object.assign(driver, {
      async acquireConnection(): Promise<DatabaseConnection> {
        await turns.take();
        const connection = await acquire();
        // SQLite's statements don't wait for anything, so a transaction of thousands of rows would delay every ack until it ends.
        const { stepAside } = createTurns();
        return {
          streamQuery: (query, size) => connection.streamQuery(query, size),
          async executeQuery(query) {
            hasWritten ||= !WRITES_NOTHING.test(query.sql);
            await stepAside();
            return connection.executeQuery(query);
          },
        } satisfies DatabaseConnection;
      },
      async releaseConnection(): Promise<void> {
        const waits = hasWritten;
        hasWritten = false;
        turns.end();
        if (!waits) return;
        checkpoints.wrote();
        await afterWriting();
      },
      async destroy(): Promise<void> {
        await file.close();
        await checkpoints.close();
        await destroy();
      },
    });
  };
  return {
    waiting: { ...base, createDriver: () => driverOf(file.sync) },
    ahead: { ...base, createDriver: () => driverOf(() => Promise.resolve()) },
  };
}

/** One at a time, in order. */
function createQueue() {
  let last = Promise.resolve();
  let end = (): void => undefined;
  return {
    async take(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = last;
      last = promise;
      await before;
      end = resolve;
    },
    end: () => end(),
  };
}

export type SyncedFile = ReturnType<typeof syncedFile>;

/** https://sqlite.org/rescode.html#ioerr_fsync */
const IOERR_FSYNC = 1034;

/** Waits for the disk outside the main thread. Throws when the file isn't there. */
export function syncedFile(path: string, onDisk: (file: number) => Promise<void> = promisify(fdatasync)) {
  const file = openSync(path, "r+");
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    last = onDisk(file).catch((cause: unknown) => {
      throw Object.assign(new Error(`${path} can't be synced`, { cause }), { errcode: IOERR_FSYNC });
    });
    return last;
  };
  return {
    /**
     * Resolves when all that was written to the file before the call is on disk. Calls during one wait for the next together.
     * Throws an Error with an `errcode` of SQLite.
     */
    sync: () => (next ??= last.then(begin, begin)),
    async close() {
      await (next ?? last).catch(() => undefined);
      closeSync(file);
    },
  };
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** Writes between two checkpoints: about as many pages as the thousand after which SQLite begins one itself. */
const WRITES = 128;
/** The thread ends after so long without work. */
const IDLE_MS = 30_000;

/** JavaScript in a string: for a TypeScript file, the thread would load the compiler again. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData);
parentPort.on("message", () => {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.postMessage("done");
});
`;

/**
 * Checkpoints the WAL in a thread, started after enough writes: a checkpoint syncs twice, and inside a commit it would
 * block the whole bot. PASSIVE doesn't block writers. If one fails here, a later commit makes it: see `openSqlite`.
 */
export function createCheckpoints(path: string, clock: Pick<Clock, "after">) {
  let thread: Worker | undefined;
  let writes = 0;
  let isRunning = false;
  const begin = (): Worker => {
    // Without the --import options of this process.
    const begun = new Worker(THREAD, { eval: true, workerData: path, execArgv: [] });
    const endWhenIdle = () => clock.after(IDLE_MS, () => unawaited(begun.terminate()));
    let idle = endWhenIdle();
    const forget = (): void => {
      idle.cancel();
      if (thread === begun) thread = undefined;
      isRunning = false;
    };
    begun.on("message", () => {
      isRunning = false;
      idle.cancel();
      idle = endWhenIdle();
    });
    begun.on("error", forget).on("exit", forget).unref();
    return begun;
  };
  return {
    /** To be called after each write. */
    wrote: () => {
      writes += 1;
      if (writes < WRITES || isRunning) return;
      writes = 0;
      try {
        thread ??= begin();
        thread.postMessage("checkpoint");
        isRunning = true;
      } catch {
        // The system has no thread left. The write itself succeeded, so it must not fail here.
      }
    },
    /** Resolves when the thread has closed the database. */
    async close() {
      await thread?.terminate();
    },
  };
}
