import type { Clock } from "../../../../platform/clock.ts";
import type { SeenProcess } from "./seen-process.ts";

/** The record of a child: its token is saved before the start, pid and start time right after it. */
export type RecordedProcess = {
  readonly token: string;
  readonly pid: number | null;
  readonly started: string | null;
};

/** Lists and signals processes, and waits in between; tests replace it. */
type ProcessTable = {
  readonly see: () => Promise<readonly SeenProcess[]>;
  readonly kill: (pid: number, signal: "SIGTERM" | "SIGKILL") => void;
  readonly clock: Clock;
};

const POLL_MS = 20;
/** A process that outlives SIGKILL this long hangs in the kernel or belongs to another user. */
const GIVE_UP_MS = 5_000;

/**
 * True for a process that we started. Pids are reused, so the token of its environment decides; if that can't be read,
 * pid and start time together do.
 */
export function isOurs(seen: SeenProcess, records: readonly RecordedProcess[]): boolean {
  if (seen.token !== "unreadable") return records.some((record) => record.token === seen.token);
  return records.some((record) => record.pid === seen.pid && record.started === seen.started);
}

/**
 * Ends every process of these records and their descendants: SIGTERM, then SIGKILL after the grace time, until none is
 * left. Returns the pids it found.
 */
export async function endProcesses(
  records: readonly RecordedProcess[],
  { see, kill, clock }: ProcessTable,
  graceMs: number,
): Promise<number[]> {
  if (records.length === 0) return [];
  const deadline = clock.elapsedMs() + graceMs;
  const asked = new Set<number>();
  for (;;) {
    const ours = (await see()).filter((seen) => seen.pid !== process.pid && isOurs(seen, records));
    const late = clock.elapsedMs() >= deadline;
    if (ours.length === 0 || clock.elapsedMs() >= deadline + GIVE_UP_MS) return [...asked];
    for (const { pid } of ours) {
      if (late || !asked.has(pid)) kill(pid, late ? "SIGKILL" : "SIGTERM");
      asked.add(pid);
    }
    await clock.sleep(POLL_MS);
  }
}

/** Signals a process, or a whole group if `pid` is negative. Does nothing if it is gone. */
export function signalProcess(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
