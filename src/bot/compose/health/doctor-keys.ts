import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Keyring, readKeyring, createSealer } from "../../accounts/seal.ts";
import type { Inspection, KeyFacts } from "../../health/facts.ts";
import { sealedRowsOf } from "./key-facts.ts";

type Configured = { readonly keys: string | undefined; readonly dataDir: string };

/** The configured keys, and what they open of what is stored. Makes no key file, unlike a start. */
export function keyFacts(config: Configured, inspection: Inspection): KeyFacts {
  const file = fileOf(config);
  const keyring = configuredKeyring(config);
  const nothing = { ids: [], sealed: [], exposedFile: undefined };
  if ("problem" in keyring) return { ...nothing, problem: keyring.problem };
  const sealer = createSealer(keyring.keys);
  return {
    ids: sealer.keyIds,
    sealed: sealedRowsOf(sealer, inspection.sealed),
    exposedFile: file !== undefined && isReadableByOthers(file) ? file : undefined,
  };
}

function fileOf({ keys, dataDir }: Configured): string | undefined {
  return keys === undefined ? join(dataDir, "gantry.key") : undefined;
}

/** From the settings or the key file; or why they can't be used. */
export function configuredKeyring(config: Configured): { readonly keys: Keyring } | { readonly problem: string } {
  const { keys } = config;
  const file = fileOf(config);
  const where = file ?? "GANTRY_KEYS";
  try {
    return { keys: readKeyring(file === undefined ? (keys ?? "") : readFileSync(file, "utf8").trim()) };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    return { problem: `The keys in ${where} can't be used: ${why}` };
  }
}

function isReadableByOthers(file: string): boolean {
  return (statSync(file).mode & 0o077) !== 0;
}
