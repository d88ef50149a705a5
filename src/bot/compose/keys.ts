import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Keyring, newKey, readKeyring } from "../accounts/seal.ts";
import { DataError } from "../errors.ts";
import { databaseFile } from "../store/database/session.ts";
import type { Config } from "./config.ts";
import { makeFolder } from "../../platform/make-folder.ts";

type KeySettings = Pick<Config, "keys" | "dataDir">;

/** The key file next to the SQLite database; undefined when GANTRY_KEYS holds the keys. */
export function keyFileOf({ keys, dataDir }: KeySettings): string | undefined {
  return keys === undefined ? join(dataDir, "gantry.key") : undefined;
}

/**
 * The keys that seal tokens and bodies: from the environment, or a key file next to the SQLite database, created at the
 * first start. Throws an Error with a sentence that never contains a key.
 */
export function openKeyring(settings: KeySettings): Keyring {
  const path = keyFileOf(settings);
  const hasKeys = path === undefined || existsSync(path);
  if (hasKeys) {
    try {
      return readKeyring(path === undefined ? (settings.keys ?? "") : readFileSync(path, "utf8").trim());
    } catch (cause) {
      throw new Error(
        `Gantry wasn't started. The keys in ${path ?? "GANTRY_KEYS"} can't be used: ${messageOf(cause)}`,
        { cause },
      );
    }
  }
  // A new key would open nothing in this database, and hide that the right one is missing.
  if (existsSync(databaseFile(settings.dataDir))) throw new Error(keyIsMissing(settings.dataDir));
  return readKeyring(newKeyFile(settings.dataDir, path));
}

function newKeyFile(dataDir: string, path: string): string {
  const key = newKey();
  try {
    makeFolder(dataDir, { mode: 0o700 });
    // Only this user may read it. An existing file is never overwritten: its sealed texts could not be opened again.
    writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(path, 0o600);
  } catch (cause) {
    throw new Error(
      `Gantry wasn't started. It can't write to its folder ${dataDir}: ${messageOf(cause)}. ` +
        "Make the folder writable for this user, or set GANTRY_DATA to another one.",
      { cause },
    );
  }
  return key;
}

function keyIsMissing(dataDir: string): string {
  return (
    `Gantry wasn't started. The key of ${databaseFile(dataDir)} is missing. ` +
    `Put gantry.key into ${dataDir}, or set GANTRY_KEYS to it. If the key is lost, set GANTRY_KEYS to k2:KEY, with a KEY from ` +
    "`openssl rand -base64 32`. Tokens, reasons and other values that the old key sealed stay unreadable."
  );
}

/** The step to print after a restore when the key file is missing; undefined when it is there or GANTRY_KEYS is set. */
export function missingKeyStep(settings: KeySettings): string | undefined {
  const path = keyFileOf(settings);
  if (path === undefined || existsSync(path)) return undefined;
  return `Its key is missing. Before you start Gantry, put gantry.key into ${settings.dataDir}, or set GANTRY_KEYS.`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** From the settings or the key file, which isn't created; or why they can't be used. */
export function configuredKeyring(settings: KeySettings): { readonly keys: Keyring } | { readonly problem: string } {
  const file = keyFileOf(settings);
  if (file !== undefined && !existsSync(file)) {
    const database = databaseFile(settings.dataDir);
    return {
      problem: existsSync(database)
        ? `The key of ${database} is missing: put ${file} back, or set GANTRY_KEYS`
        : `There is no database at ${database}: check GANTRY_DATA`,
    };
  }
  try {
    return { keys: readKeyring(file === undefined ? (settings.keys ?? "") : readFileSync(file, "utf8").trim()) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    return { problem: `The keys in ${file ?? "GANTRY_KEYS"} can't be used: ${why}` };
  }
}

/** Puts a new key in front of the key file. Returns what to tell the operator; `reseal` is the command to run next. */
export function addKey(settings: KeySettings, reseal: string): string {
  const path = keyFileOf(settings);
  if (path === undefined) {
    return "The keys are in GANTRY_KEYS. Put a new one in front: k2:KEY,OLD, with a KEY from `openssl rand -base64 32`. Nothing was changed.";
  }
  const partial = `${path}.partial`;
  try {
    const before = readFileSync(path, "utf8").trim();
    readKeyring(before);
    const key = newKey();
    // A crash in between leaves the old file.
    writeFileSync(partial, `${key},${before}\n`, { mode: 0o600, flush: true });
    renameSync(partial, path);
    return `Put the key ${key.split(":")[0]} in front of ${path}. Restart Gantry, then run ${reseal}. Back up the file.`;
  } catch (cause) {
    removeUnfinished(partial);
    const why = messageOf(cause).replace(/\.$/u, "");
    throw new DataError(`Couldn't add a key to ${path}: ${why}. Nothing was changed.`, { cause });
  }
}

/** Removes the file that a failed write left. A folder of that name isn't ours and isn't removed. */
export function removeUnfinished(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path);
}
