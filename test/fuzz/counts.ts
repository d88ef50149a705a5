import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a service has of its machine. */
export type Counts = {
  readonly descriptors: number;
  readonly processes: number;
  readonly files: number;
  readonly bytes: number;
};

/** Linux only: there is no /proc elsewhere. */
export const canCount = existsSync("/proc/self/fd");

export function countsOf(pid: number, dataDir: string): Counts {
  const files = filesOf(dataDir);
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: processesOf(dataDir).length,
    files: files.length,
    bytes: files.reduce((sum, path) => sum + sizeOf(path), 0),
  };
}

/** SQLite writes a WAL again from its start and never makes its file shorter. After so much, a commit makes a checkpoint. */
const USUAL_WAL = 40 * 1024 * 1024;

function sizeOf(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return path.endsWith("-wal") ? Math.max(0, size - USUAL_WAL) : size;
}

/** The processes that run in a folder below this one: all that a service started, also when it is gone. */
export function processesOf(dataDir: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isIn(name, dataDir))
    .map(Number);
}

function isIn(pid: string, dataDir: string): boolean {
  try {
    if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dataDir}/`)) return false;
    // One that is dead and only waits to be collected runs no more.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false; // it ended meanwhile
  }
}

/** Without what users keep: volumes and disks outlive their workloads. */
function filesOf(dataDir: string): string[] {
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => !/\/(?:volumes|disks)\//.test(path.slice(dataDir.length)));
}

/** A WAL and its index come and go; a database keeps some free pages for what comes next. */
const TOLERANCE: Counts = { descriptors: 4, processes: 0, files: 6, bytes: 8 * 1024 * 1024 };

/** What there is more of than before, as words. */
export function leaked(before: Counts, after: Counts): string | undefined {
  const keys = ["descriptors", "processes", "files", "bytes"] as const;
  const more = keys.filter((key) => after[key] > before[key] + TOLERANCE[key]);
  return more.length === 0 ? undefined : more.map((key) => `${key} ${before[key]} → ${after[key]}`).join(", ");
}
