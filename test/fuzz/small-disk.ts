import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of its own that can be filled. */
export type SmallDisk = {
  readonly path: string;
  readonly fill: () => void;
  readonly free: () => void;
};

const SIZE_MIB = 24;
const mounted = new Set<string>();

/** Mounts a small tmpfs. Throws with what mount said when this user may not. */
export function mountSmallDisk(): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "gantry-fuzz-disk-"));
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MIB}m`, "tmpfs", path]);
  if (status !== 0) {
    rmSync(path, { recursive: true });
    throw new Error(`a small disk could not be mounted: ${error?.message ?? String(stderr).trim()}`);
  }
  mounted.add(path);
  const ballast = join(path, "ballast");
  return { path, fill: () => fill(ballast), free: () => rmSync(ballast, { force: true }) };
}

/** To the last byte: what is left after large pieces goes in small ones. */
function fill(file: string): void {
  const descriptor = openSync(file, "a");
  for (const size of [1_048_576, 4_096, 1]) {
    const piece = Buffer.alloc(size);
    try {
      while (writeSync(descriptor, piece) === size);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
  closeSync(descriptor);
}

export function unmountAll(): void {
  for (const path of mounted) {
    spawnSync("umount", ["-l", path]);
    rmSync(path, { recursive: true, force: true });
    mounted.delete(path);
  }
}
