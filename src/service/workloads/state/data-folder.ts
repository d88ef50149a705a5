import { readFileSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";
import { makeFolder } from "../../../platform/make-folder.ts";
import { makePrivate } from "../../../platform/make-private.ts";
import { aroundEach, Refusal, type Engine } from "../../engine.ts";
import { sql, type Kysely } from "kysely";

/**
 * Locks the data folder for this engine and returns a function that unlocks it. The lock is SQLite's exclusive lock on a
 * separate file: the operating system releases it when the process dies, however it dies, so no stale lock is left.
 * Throws when another engine holds it.
 */
export function lockFolder(dataDir: string): () => void {
  makeFolder(dataDir, { mode: 0o700 });
  const note = join(dataDir, "engine.pid");
  const database = new DatabaseSync(join(dataDir, "engine.lock"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!(error instanceof Error && error.message.includes("locked"))) throw error;
    throw new StartError(
      `another process engine (process ${holder(note)}) uses ${dataDir}: stop it, or choose another data folder`,
      { cause: error },
    );
  }
  writeNote(note);
  makePrivate(dataDir, () => true);
  return () => database.close();
}

/** Only an error message uses this text, so a full disk must not keep the engine from starting. */
function writeNote(note: string): void {
  try {
    writeFileSync(note, `${process.pid}\n`);
  } catch {
    // The lock works without it.
  }
}

/** The note is only for the sentence; the lock is what counts. */
function holder(note: string): string {
  try {
    return readFileSync(note, "utf8").trim();
  } catch {
    return "unknown";
  }
}

/**
 * Turns a name into one segment of a path: never `..`, a separator or too long. Different names stay different, also on
 * a case-insensitive file system.
 */
export function pathSegment(name: string): string {
  if (/^[a-z0-9_-]{1,60}$/.test(name)) return name;
  const readable = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 40);
  return `${readable}.${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** Removes the folders of workloads that were deleted just before the earlier server died. Never rejects. */
export async function removeOtherFolders(
  parent: string,
  kept: ReadonlySet<string>,
  onEvent: (message: string, data: object) => void,
): Promise<void> {
  const known = new Set([...kept].map(pathSegment));
  const names = await readdir(parent).catch(() => []); // there is none before the first workload
  for (const name of names.filter((each) => !known.has(each))) {
    await rm(join(parent, name), { recursive: true, force: true }).catch((error: unknown) => {
      onEvent("couldn't remove the folder of a deleted workload", { error });
    });
  }
}

/** Runs a startup step on a file. Its error names the file and says what to do. */
export async function withFileNamed<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`Couldn't open ${path}: ${why}. ${advice(error)}`, { cause: error });
  }
}

/** The error already names a file. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. https://www.sqlite.org/rescode.html */
const DAMAGED = [11, 26];

export function isDamaged(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && DAMAGED.includes(Number(error.errcode) & 0xff);
}

function advice(error: unknown): string {
  if (isDiskFull(error)) return "The disk is full: free some space and start again.";
  if (isDamaged(error)) return "Restore the file from a backup, or move it away to start without its data.";
  return "Check that its folder exists and that this user may read and write it.";
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log.
 * https://www.sqlite.org/rescode.html */
const FULL_SQLITE_CODES = [13, 4_874];
const FULL_SYSTEM_CODES = ["ENOSPC", "EDQUOT"];
const NO_FILES_CODES = ["EMFILE", "ENFILE"];

/** Whether SQLite or the operating system reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && FULL_SQLITE_CODES.includes(Number(error.errcode))) return true;
  return hasCode(error, FULL_SYSTEM_CODES);
}

/** Whether this process or the machine is out of file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && hasCode(error, NO_FILES_CODES);
}

function hasCode(error: Error, codes: readonly string[]): boolean {
  return "code" in error && codes.includes(String(error.code));
}

const DISK_IS_FULL = "The disk of the workload API is full. Nothing was changed. Free some space and try again.";
const NO_FILES_LEFT = "The workload API has no file descriptors left. Nothing was changed. Try again in a moment.";

/**
 * Wraps an engine to answer 503 when the machine is out of space or files. Its operations must undo partial changes on
 * failure.
 */
export function refusingWhenExhausted(engine: Engine): Engine {
  return aroundEach(engine, async (run) => {
    try {
      return await run();
    } catch (error) {
      if (isDiskFull(error)) throw new Refusal(503, DISK_IS_FULL, { cause: error });
      if (isOutOfFiles(error)) throw new Refusal(503, NO_FILES_LEFT, { cause: error });
      throw error;
    }
  });
}

/** Migrates a file to the next version: statements, or a function where statements alone can't. */
export type Migration<Tables> = readonly string[] | ((tx: Kysely<Tables>) => Promise<void>);

/**
 * Migrates a SQLite file to the latest version; `PRAGMA user_version` holds the current one. Each migration is one
 * transaction. Throws for a file from a newer version, because this one would misread it.
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  path: string,
  migrations: readonly Migration<Tables>[],
): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  const version = rows[0]?.user_version ?? 0;
  if (version > migrations.length) {
    throw new StartError(
      `${path} was written by a newer version of Gantry (schema ${version}; this version knows ${migrations.length}). ` +
        "Nothing was changed. Start the newer version, or set GANTRY_DATA to another folder.",
    );
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    await db.transaction().execute(async (tx) => {
      if (typeof migration === "function") await migration(tx);
      else for (const statement of migration) await sql.raw(statement).execute(tx);
      await sql.raw(`pragma user_version = ${index + 1}`).execute(tx);
    });
  }
}
