import type { DatabaseConnection, Dialect, Driver, SqliteDialect } from "kysely";
import { createTurns } from "../turns.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { SyncedFile } from "./synced-file.ts";

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
