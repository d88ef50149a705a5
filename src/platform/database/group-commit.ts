import type { DatabaseConnection, Dialect, SqliteDialect } from "kysely";
import type { SyncedFile } from "./synced-file.ts";

/** Statements after which nothing has to reach the disk that was not written before. */
const WRITES_NOTHING = /^\s*(?:select|begin|commit|rollback)\b/iu;

/**
 * A dialect whose transactions, and statements outside of one, resolve once what they wrote is on disk. Others run
 * meanwhile, and share the next wait. When the disk fails, the write rejects, and may be there all the same.
 */
export function groupCommit(dialect: SqliteDialect, file: SyncedFile): Dialect {
  return {
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    // Turns are given below: Kysely would give the next one only after the wait for the disk.
    createAdapter: () => Object.defineProperty(dialect.createAdapter(), "supportsMultipleConnections", { value: true }),
    createDriver() {
      const driver = dialect.createDriver();
      const acquire = driver.acquireConnection.bind(driver);
      const destroy = driver.destroy.bind(driver);
      const turns = createTurns();
      let hasWritten = false;
      return Object.assign(driver, {
        async acquireConnection(): Promise<DatabaseConnection> {
          await turns.take();
          const connection = await acquire();
          return {
            streamQuery: (query, size) => connection.streamQuery(query, size),
            executeQuery(query) {
              hasWritten ||= !WRITES_NOTHING.test(query.sql);
              return connection.executeQuery(query);
            },
          };
        },
        async releaseConnection(): Promise<void> {
          const waits = hasWritten;
          hasWritten = false;
          turns.end();
          if (waits) await file.sync();
        },
        async destroy(): Promise<void> {
          await file.close();
          await destroy();
        },
      });
    },
  };
}

/** One at a time, in order. */
function createTurns() {
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
