import { readFileSync } from "node:fs";
import type { Clock, Timer } from "../../../../platform/clock.ts";

/** A process with a memory limit. */
type Watched = {
  readonly pid: number;
  readonly limitMib: number;
  /** Count only its children, because the process is the runner of a host command. */
  readonly onlyChildren: boolean;
  readonly onExceeded: (usedMib: number) => void;
};

export type MemoryWatch = ReturnType<typeof makeMemoryWatch>;

/**
 * Checks the resident memory of each watched process at an interval. Only Linux makes this cheap enough; elsewhere
 * nothing is watched, and the log of the program says so.
 */
export function makeMemoryWatch(intervalMs: number, clock: Pick<Clock, "after">) {
  const all = new Set<Watched>();
  let timer: Timer | undefined;

  function check(): void {
    timer = clock.after(intervalMs, check);
    for (const watched of all) {
      const used = usedMib(watched.pid, watched.onlyChildren);
      if (used > watched.limitMib) watched.onExceeded(used);
    }
  }

  return {
    /** Watches until the returned function is called. */
    watch(watched: Watched): () => void {
      if (process.platform !== "linux") return () => undefined;
      all.add(watched);
      timer ??= clock.after(intervalMs, check);
      return () => {
        all.delete(watched);
        if (all.size > 0) return;
        timer?.cancel();
        timer = undefined;
      };
    },
  };
}

function usedMib(pid: number, onlyChildren: boolean): number {
  const children = childrenOf(pid).reduce((sum, child) => sum + usedMib(child, false), 0);
  return onlyChildren ? children : children + residentMib(pid);
}

/** VmRSS: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function residentMib(pid: number): number {
  const kib = /^VmRSS:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1];
  return Number(kib ?? 0) / 1024;
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** Empty if the process has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * The least that is enforced, in MiB: a Node program needs about 80 MiB before its first line runs and would never start
 * with less. A smaller limit is saved and answered as requested, enforced as this, and the log says so.
 */
const MEMORY_FLOOR_MIB = 128;

/** Memory counted for a container without a limit: enough for a small program. */
const UNLIMITED_MIB = 64;

export function enforcedMib(limitMib: number): number {
  return Math.max(limitMib, MEMORY_FLOOR_MIB);
}

/** The memory that a container counts as. */
export function reservedMib(limitMib: number | undefined): number {
  return limitMib === undefined ? UNLIMITED_MIB : enforcedMib(limitMib);
}
