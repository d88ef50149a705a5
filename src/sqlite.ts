import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect, type SqliteDatabase } from "kysely";

/**
 * Opens a Kysely over `node:sqlite`. `path` is a file, whose folder is created, or `:memory:`.
 * WAL lets readers work next to the writer; with `synchronous=FULL` a committed row survives a power failure; a writer
 * waits up to five seconds for a lock.
 */
export function openSqlite<Tables>(path: string): Kysely<Tables> {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;");
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(database) }) });
}

/** Opens an existing file next to the process that writes it. */
export function openSqliteReadOnly<Tables>(path: string): Kysely<Tables> {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec("PRAGMA busy_timeout=2000;");
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(database) }) });
}

/** Adapts `node:sqlite` to the driver that Kysely expects. */
function forKysely(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      // On a full disk SQLite has already rolled back. A second rollback would fail and hide the first error.
      if (sql === "rollback" && !database.isTransaction) return nothingToDo;
      const statement = database.prepare(sql);
      return {
        // Statements with result columns are read, also INSERT … RETURNING; others are run.
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => statement.run(...values(parameters)),
        iterate: (parameters) => statement.iterate(...values(parameters)),
      };
    },
  };
}

const nothingToDo: ReturnType<SqliteDatabase["prepare"]> = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

function values(parameters: readonly unknown[]): SQLInputValue[] {
  return [...parameters] as SQLInputValue[]; // Kysely passes on what the typed query was given
}
