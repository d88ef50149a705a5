import { chmodSync, closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { openPostgres } from "../../../platform/database/postgres.ts";
import { loadTls } from "../../../platform/database/database-tls.ts";
import { sql } from "kysely";
import { clockOf, databaseFile, inTransaction } from "../../store/database/session.ts";
import { markStatements } from "../../store/database/restored.ts";
import { liveReplicas } from "../../store/database/replicas.ts";
import { lockFile } from "../../store/open-store.ts";
import { schemaVersion } from "../../store/schema/migrations.ts";
import type { Tables } from "../../store/schema/tables.ts";
import type { Config, StoreConfig } from "../config.ts";
import { missingKeyStep, removeUnfinished } from "../keys.ts";
import { DataError } from "../../errors.ts";
import { makeFolder } from "../../../platform/make-folder.ts";

type Settings = Pick<Config, "store" | "dataDir" | "keys">;

type Taking = { readonly file: string; readonly now: Date };

/** Copies the database as it is at one moment, also while Gantry runs. Returns what to tell the operator. */
export async function takeBackup({ store, dataDir, keys }: Settings, { file, now }: Taking): Promise<string> {
  if (store.kind === "postgres") {
    throw new DataError("The database is PostgreSQL: use pg_dump, as docs/backup.md shows. Nothing was written.");
  }
  const from = databaseFile(dataDir);
  const to = resolve(file);
  if (!existsSync(from))
    throw new DataError(`There is no database at ${from}. Check GANTRY_DATA. Nothing was written.`);
  if (existsSync(to)) throw new DataError(`${to} exists already. Name another file. Nothing was written.`);
  const partial = `${to}.partial`;
  removeUnfinished(partial);
  try {
    // Only this user may read it, from its first byte on.
    closeSync(openSync(partial, "wx", 0o600));
    const source = new DatabaseSync(from, { readOnly: true });
    try {
      // All pages in one step: between two steps Gantry could write, and the copy would begin again.
      await backup(source, partial, { rate: 2 ** 30 });
    } finally {
      source.close();
    }
    mark(partial, now);
    renameSync(partial, to);
  } catch (cause) {
    removeUnfinished(partial);
    throw new DataError(`Couldn't write ${to}: ${messageOf(cause)}. No backup was made.`, { cause });
  }
  const size = `${Math.max(1, Math.round(statSync(to).size / 1024))} KiB`;
  const key = keys === undefined ? join(dataDir, "gantry.key") : "GANTRY_KEYS";
  return `Wrote ${to} (${size}). Sealed values stay sealed: keep ${key} too, in another place than the backup.`;
}

/** A copy in one file that says from when it is. */
function mark(file: string, takenAt: Date | undefined): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;");
    if (takenAt !== undefined) for (const statement of markStatements(takenAt)) database.exec(statement);
  } finally {
    database.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Restoring = Taking & { readonly isForced: boolean };

/** Puts a backup in the place of the database. Returns what to tell the operator. */
export function restoreBackup(settings: Settings, { file, isForced, now }: Restoring): string {
  const { store, dataDir } = settings;
  if (store.kind === "postgres") {
    throw new DataError(
      "The database is PostgreSQL: use pg_restore, then gantry restore --mark, as docs/backup.md shows. Nothing was changed.",
    );
  }
  const from = resolve(file);
  const takenAt = checkedBackup(from);
  const to = databaseFile(dataDir);
  const unlock = lockedFolder(dataDir);
  try {
    if (existsSync(to) && !isForced) {
      throw new DataError(
        `There is data in ${dataDir} already. To restore over it, add --force: the data is kept beside it. Nothing was changed.`,
      );
    }
    const partial = `${to}.restoring`;
    try {
      copyFileSync(from, partial);
      chmodSync(partial, 0o600);
      mark(partial, takenAt);
    } catch (cause) {
      removeUnfinished(partial);
      throw new DataError(
        `Couldn't write ${partial}: ${messageOf(cause)}. Check the disk of ${dataDir}. Nothing was changed.`,
        { cause },
      );
    }
    const kept = existsSync(to) ? setAside(to, now) : undefined;
    renameSync(partial, to);
    syncFolder(dirname(to));
    const missingKey = missingKeyStep(settings);
    const when = takenAt.toISOString().slice(0, 16).replace("T", " ");
    return [
      `Restored the backup of ${when} UTC to ${to}.`,
      ...(kept === undefined ? [] : [`The data that was there is in ${kept}.`]),
      ...(missingKey === undefined ? [] : [missingKey]),
      "Start Gantry. What was open then ends as unknown and isn't sent again.",
    ].join("\n");
  } finally {
    unlock();
  }
}

function lockedFolder(dataDir: string): () => void {
  try {
    makeFolder(dataDir, { mode: 0o700 });
  } catch (cause) {
    throw new DataError(`Couldn't create ${dataDir}: ${messageOf(cause)}. Nothing was changed.`, { cause });
  }
  const unlock = lockFile(join(dataDir, "gantry.lock"));
  if (unlock === undefined) throw new DataError(`A Gantry runs with ${dataDir}. Stop it first. Nothing was changed.`);
  return unlock;
}

/** The moment of a backup. Throws when the file is damaged, of a newer Gantry, or no backup. */
function checkedBackup(file: string): Date {
  if (!existsSync(file)) throw new DataError(`There is no file ${file}. Nothing was changed.`);
  let database: DatabaseSync | undefined;
  try {
    // SQLite would only report an I/O error.
    if (statSync(file).isDirectory()) throw new Error("it is a folder");
    database = new DatabaseSync(file, { readOnly: true });
    const [check] = database.prepare("PRAGMA integrity_check(1)").all();
    if (check?.["integrity_check"] !== "ok") throw new Error("it is damaged");
    if (database.prepare("select 1 from sqlite_schema where name = 'migration'").get() === undefined) {
      throw new Error("it isn't a Gantry database");
    }
    const version = Number(database.prepare("select max(number) as version from migration").get()?.["version"]);
    if (version > schemaVersion) {
      throw new Error(
        `a newer Gantry wrote it (schema ${version}; this version knows ${schemaVersion}); use that version`,
      );
    }
    const hasMark = database.prepare("select 1 from sqlite_schema where name = 'restored_backup'").get() !== undefined;
    const row = hasMark ? database.prepare("select taken_at from restored_backup").get() : undefined;
    // Somebody copied the file of a Gantry that was stopped.
    return row === undefined ? statSync(file).mtime : new Date(String(row["taken_at"]));
  } catch (cause) {
    throw new DataError(`${file} can't be restored: ${messageOf(cause)}. Nothing was changed.`, { cause });
  } finally {
    database?.close();
  }
}

/** Keeps the old database beside the new one, in one file. Returns its path. */
function setAside(file: string, now: Date): string {
  try {
    // Takes what is still in the WAL into the file.
    const old = new DatabaseSync(file);
    old.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
    old.close();
  } catch {
    // It may be why somebody restores a backup: then its parts are kept as they are.
  }
  const kept = `${file}.before-${now.toISOString().replaceAll(/[:.]/gu, "-")}`;
  for (const end of ["", "-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, kept + end);
  return kept;
}

function syncFolder(dir: string): void {
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * For a database that was restored in another way, as PostgreSQL is: the next start closes what was open at that time.
 * Refuses while a replica lives.
 */
export async function markRestored(
  store: Extract<StoreConfig, { readonly kind: "postgres" }>,
  takenAt: Date,
): Promise<string> {
  const db = openPostgres<Tables>({ ...store, tls: loadTls(store.tls), poolSize: 1 }, () => undefined);
  try {
    const alive = await liveReplicas({ db, clock: clockOf("postgres", () => 0) });
    if (alive.length > 0) {
      throw new DataError(
        `${alive.length === 1 ? "A replica runs" : `${alive.length} replicas run`} with this database. Stop all of them, wait 20 s, and try again. Nothing was changed.`,
      );
    }
    await inTransaction({ db }, async ({ db: tx }) => {
      for (const statement of markStatements(takenAt)) await sql.raw(statement).execute(tx);
    });
    return "Marked the database as restored. Start Gantry: what was open then ends as unknown and isn't sent again.";
  } finally {
    await db.destroy();
  }
}
