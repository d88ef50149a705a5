import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKey, readKeyring, type Keyring } from "../accounts/keyring.ts";

/**
 * The keys that seal tokens and bodies: those of the environment, or for a database that is a file beside it one that is
 * made at the first start. Throws an Error with a sentence, never with a key.
 */
export function openKeyring({
  keys,
  dataDir,
}: {
  readonly keys: string | undefined;
  readonly dataDir: string;
}): Keyring {
  if (keys !== undefined) return readKeyring(keys);
  const path = join(dataDir, "gantry.key");
  try {
    return readKeyring(readFileSync(path, "utf8").trim());
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = newKey();
  // Only for this user, and never over one that is there: what it sealed could not be opened any more.
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
  chmodSync(path, 0o600);
  return readKeyring(key);
}
