import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createHash } from "node:crypto";
import { StartError } from "./file-errors.ts";
import { makeFolder } from "../../../platform/make-folder.ts";

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
