import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettingName } from "./options.ts";
import { mountSmallDisk, type SmallDisk } from "./small-disk.ts";

/** Where a service runs in one of the settings. */
export type Place = {
  readonly dataDir: string;
  /** What runs it with fewer open files. */
  readonly wrapper: readonly string[];
  readonly disk: SmallDisk | undefined;
  readonly openFiles: number | undefined;
  readonly remove: () => void;
};

const OPEN_FILES = 256;

/** Throws with a sentence when this machine cannot have the setting. */
export function openPlace(setting: SettingName): Place {
  const disk = setting === "disk" ? mountSmallDisk() : undefined;
  const folder = disk?.path ?? mkdtempSync(join(tmpdir(), "gantry-fuzz-"));
  const hasLimit = setting === "files";
  if (hasLimit && spawnSync("prlimit", ["--version"]).status !== 0) {
    throw new Error("the number of open files cannot be limited: there is no prlimit");
  }
  return {
    dataDir: join(folder, "data"),
    wrapper: hasLimit ? ["prlimit", `--nofile=${OPEN_FILES}:${OPEN_FILES}`] : [],
    disk,
    openFiles: hasLimit ? OPEN_FILES : undefined,
    remove: () => (disk ? disk.free() : rmSync(folder, { recursive: true, force: true })),
  };
}

/** Whether this user may mount; one who may not can in a namespace of their own. */
export function needsNamespace(): boolean {
  return process.getuid?.() !== 0;
}
