import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Keyring, newKey, readKeyring } from "../accounts/seal.ts";
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
  if (path === undefined) return readKeyring(settings.keys ?? "");
  try {
    return readKeyring(readFileSync(path, "utf8").trim());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  makeFolder(settings.dataDir, { mode: 0o700 });
  const key = newKey();
  // Only this user may read it. An existing file is never overwritten: its sealed texts could not be opened again.
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
  chmodSync(path, 0o600);
  return readKeyring(key);
}

/** From the settings or the key file, which isn't created; or why they can't be used. */
export function configuredKeyring(settings: KeySettings): { readonly keys: Keyring } | { readonly problem: string } {
  const file = keyFileOf(settings);
  try {
    return { keys: readKeyring(file === undefined ? (settings.keys ?? "") : readFileSync(file, "utf8").trim()) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    return { problem: `The keys in ${file ?? "GANTRY_KEYS"} can't be used: ${why}` };
  }
}

/** Puts a new key in front of the key file. Returns what to tell the operator. */
export function addKey(settings: KeySettings): string {
  const path = keyFileOf(settings);
  if (path === undefined) {
    return "The keys are in GANTRY_KEYS. Put a new one in front: k2:KEY,OLD, with a KEY from `openssl rand -base64 32`. Nothing was changed.";
  }
  const before = readFileSync(path, "utf8").trim();
  readKeyring(before);
  const key = newKey();
  const partial = `${path}.partial`;
  // A crash in between leaves the old file.
  writeFileSync(partial, `${key},${before}\n`, { mode: 0o600, flush: true });
  renameSync(partial, path);
  return `Put the key ${key.split(":")[0]} in front of ${path}. Restart Gantry, then run gantry keys reseal. Back up the file.`;
}
