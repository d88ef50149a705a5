import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKey, readKeyring, type Keyring } from "../accounts/seal.ts";

/**
 * The keys that seal tokens and bodies: from the environment, or a key file next to the SQLite database, created at the
 * first start. Throws an Error with a sentence that never contains a key.
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
  // Only this user may read it. An existing file is never overwritten: its sealed texts could not be opened again.
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
  chmodSync(path, 0o600);
  return readKeyring(key);
}
