import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * For all workers, and for the processes that tests start. Temporary folders lie in memory where there is room: every
 * commit of a test's database waits for the disk otherwise. What a process has compiled, the next one need not.
 */
export function setup(): void {
  process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "gantry-tests-compiled");
  if (hasRoom(IN_MEMORY)) process.env["TMPDIR"] = IN_MEMORY;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
