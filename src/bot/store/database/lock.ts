import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * Keeps a file to one process. The lock is a transaction held open in a database of its own, so the system drops it
 * with the process, however that ends (a pid file would outlive `kill -9`). Returns what gives it back; throws when
 * another process has it.
 */
export function lockFile(path: string): () => void {
  // The folder holds addresses that can post in Slack: only this user may read it.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(path);
  try {
    lock.exec("PRAGMA busy_timeout=0; PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes("locked"))) throw error;
    throw new Error(
      `Another Gantry works with ${dirname(path)}. Stop it, or set GANTRY_DATA to another folder for this one.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
