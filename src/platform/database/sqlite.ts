import { boundedMap } from "../bounded-map.ts";
import { type Clock, machineClock } from "../clock.ts";
import { makeFolder } from "../make-folder.ts";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Kysely, SqliteDialect, type SqliteDatabase } from "kysely";
import { groupCommit, syncedFile, createCheckpoints } from "./group-commit.ts";

/**
 * Pages, 32 MB, after which a commit makes the checkpoint. SQLite reuses the WAL from its start only after a complete
 * checkpoint, which a thread beside a busy writer may never make.
 */
const MOST_PAGES = 8_000;

export type SqliteOptions = {
  /** Called with the SQL of each statement that runs, `begin` and `commit` included. */
  readonly onStatement?: (sql: string) => void;
  /** What was written last may be lost in a power failure. The file stays whole. */
  readonly mayLoseLast?: boolean;
  /** Resolves when everything written to this open file is on disk. Default: `fdatasync`. */
  readonly onDisk?: (file: number) => Promise<void>;
  /** Default: this machine's. */
  readonly clock?: Pick<Clock, "after">;
};

/**
 * Opens a Kysely over `node:sqlite`. `path` is a file, whose folder is created, or `:memory:`.
 * WAL lets readers work next to the writer. With `synchronous=NORMAL`, SQLite only appends what is committed to the file of
 * the WAL; we wait for the disk outside the main thread. A writer waits up to five seconds for a lock.
 */
export function openSqlite<Tables>(path: string, options: SqliteOptions = {}): Kysely<Tables> {
  const { mayLoseLast = path === ":memory:" } = options;
  if (path !== ":memory:") makeFolder(dirname(path));
  const database = new DatabaseSync(path);
  database.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;",
  );
  const dialect = new SqliteDialect({ database: forKysely(database, options) });
  if (mayLoseLast) return new Kysely<Tables>({ dialect });
  // The file of the WAL is there after the first read, until the database is closed.
  database.exec(`PRAGMA wal_autocheckpoint=${MOST_PAGES}; SELECT count(*) FROM sqlite_schema`);
  const { waiting, ahead } = groupCommit(dialect, {
    file: syncedFile(`${path}-wal`, options.onDisk),
    checkpoints: createCheckpoints(path, options.clock ?? machineClock),
  });
  const db = new Kysely<Tables>({ dialect: waiting });
  twins.set(db, new Kysely<Tables>({ dialect: ahead }));
  return db;
}

/** The `ahead` dialect of each database: see `groupCommit`. */
const twins = new WeakMap<object, unknown>();

/**
 * The same database for writes that don't wait for the disk: they are there after the next one that does. Only for what
 * nobody acts on before that. A database that `openSqlite` didn't open is returned as it is.
 */
export function aheadOf<Tables>(db: Kysely<Tables>): Kysely<Tables> {
  return (twins.get(db) as Kysely<Tables> | undefined) ?? db; // set in `openSqlite`, with the same tables
}

/** Opens an existing file next to the process that writes it. */
export function openSqliteReadOnly<Tables>(path: string): Kysely<Tables> {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec("PRAGMA busy_timeout=2000;");
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely(database, {}) }) });
}

type Prepared = ReturnType<SqliteDatabase["prepare"]>;

/** Adapts `node:sqlite` to the driver that Kysely expects. */
function forKysely(database: DatabaseSync, { onStatement }: SqliteOptions): SqliteDatabase {
  const prepare = cached((sql) => adapted(database, sql));
  return {
    close: () => database.close(),
    prepare(sql) {
      // On a full disk SQLite has already rolled back. A second rollback would fail and hide the first error.
      if (sql === "rollback" && !database.isTransaction) return nothingToDo;
      onStatement?.(sql);
      return prepare(sql);
    },
  };
}

/** A text whose list of values has a length of its own is a new one each time, so the number kept is limited. */
const MOST_PREPARED = 500;
const RUNS_SELDOM = /^\s*(?:alter|create|drop|pragma)\b/iu;
const CHANGES_TABLES = /^\s*(?:alter|drop)\b/iu;

/** Prepares each text once. After a change of a table all are prepared again: `select *` may have other columns. */
function cached(prepare: (sql: string) => Prepared): (sql: string) => Prepared {
  const known = boundedMap<string, Prepared>(MOST_PREPARED);
  return (sql) => {
    if (CHANGES_TABLES.test(sql)) known.clear();
    if (RUNS_SELDOM.test(sql)) return prepare(sql);
    const statement = known.get(sql) ?? prepare(sql);
    if (!known.has(sql)) known.set(sql, statement);
    return statement;
  };
}

const SELECTS = /^\s*select\b/iu;

function adapted(database: DatabaseSync, sql: string): Prepared {
  const statement = database.prepare(sql);
  return {
    // Statements with result columns are read, also INSERT … RETURNING; others are run. To name those of a SELECT from a
    // wide table takes as long as to prepare it.
    reader: SELECTS.test(sql) || statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    // Of its own: one that is used again while it is being read would start over.
    iterate: (parameters) => database.prepare(sql).iterate(...values(parameters)),
  };
}

const nothingToDo: Prepared = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

function values(parameters: readonly unknown[]): SQLInputValue[] {
  return [...parameters] as SQLInputValue[]; // Kysely passes on what the typed query was given
}
