import type { Clock, Timer } from "../../../../platform/clock.ts";
import { readFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { isOutOfFiles, pathSegment } from "../../../workloads/state/data-folder.ts";
import type { Kysely } from "kysely";
import { join } from "node:path";
import type { VolumeSource } from "../../../workloads/runtime.ts";

/** The record of a child: its token is saved before the start, pid and start time right after it. */
export type RecordedProcess = Omit<ProcessTables["processes"], "workload_uid">;

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

const run = promisify(execFile);

/** The variable with a child's token, a random text. Its own children inherit it. */
export const TOKEN_VARIABLE = "GANTRY_CHILD";

/** A process as listed by the operating system. */
export type SeenProcess = {
  readonly pid: number;
  /** When it started, as text that differs between two processes that had the same pid. */
  readonly started: string;
  /** The token of its environment, `none`, or `unreadable` without permission to read the environment. */
  readonly token: string;
};

/** All visible processes of the machine. */
export async function seeProcesses(): Promise<SeenProcess[]> {
  if (process.platform === "linux") return await seeLinux();
  const options = { env: { LC_ALL: "C" }, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run("ps", ["-axEww", "-o", "pid=,lstart=,command="], options);
  return parsePs(stdout);
}

/** When the process started; undefined if it doesn't exist. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return await linuxStart(pid, await bootId());
  try {
    const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)], { env: { LC_ALL: "C" } });
    return stdout.trim() || undefined;
  } catch {
    return undefined; // ps exits 1 when there is no such process
  }
}

/** Start times count from the boot, so they are unique only together with its id. */
async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

async function seeLinux(): Promise<SeenProcess[]> {
  const boot = await bootId();
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const seen: SeenProcess[] = [];
  for (const pid of pids) {
    // Sequential: in parallel this would need two open files for each process on the machine.
    const token = await linuxToken(pid);
    const started = await linuxStart(pid, boot);
    if (started !== undefined) seen.push({ pid, started, token });
  }
  return seen;
}

async function linuxStart(pid: number, boot: string): Promise<string | undefined> {
  try {
    const ticks = startTicks(await readFile(`/proc/${pid}/stat`, "utf8"));
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch (error) {
    if (isOutOfFiles(error)) throw error; // says nothing about the process
    return undefined;
  }
}

/**
 * Field 22 of /proc/<pid>/stat, or undefined for a zombie. The second field is a name in parentheses that may contain
 * spaces and parentheses, so counting begins after the last one.
 * https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function startTicks(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}

async function linuxToken(pid: number): Promise<string> {
  try {
    const variables = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
    const token = variables.find((variable) => variable.startsWith(`${TOKEN_VARIABLE}=`));
    return token?.slice(TOKEN_VARIABLE.length + 1) ?? "none";
  } catch (error) {
    if (isOutOfFiles(error)) throw error; // says nothing about the process
    return "unreadable";
  }
}

/** Reads `ps -axEww -o pid=,lstart=,command=`: the command is followed by the environment if it is visible. */
export function parsePs(text: string): SeenProcess[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/.exec(line);
    if (!match) return [];
    const [, pid = "", started = "", command = ""] = match;
    const token = new RegExp(`(?:${TOKEN_VARIABLE}=|^gantry:\\S*:)([0-9a-f]{32})(?:\\s|$)`).exec(command)?.[1];
    return [{ pid: Number(pid), started, token: token ?? (command.includes("=") ? "none" : "unreadable") }];
  });
}

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

/** A table of `state.sqlite` (workloads/state/migrations.ts creates it): each child, written before it is started. */
export type ProcessTables = {
  processes: { token: string; workload_uid: string; pid: number | null; started: string | null };
};

export async function forgetProcess(db: Kysely<ProcessTables>, token: string): Promise<void> {
  await db.deleteFrom("processes").where("token", "=", token).execute();
}

/** The processes of an earlier server; each of them may still run. */
export async function recordedProcesses(db: Kysely<ProcessTables>): Promise<RecordedProcess[]> {
  return await db.selectFrom("processes").select(["token", "pid", "started"]).execute();
}

/** The folder of a volume. It is kept when its workload is deleted, like a host path. */
export function volumeFolder(dataDir: string, source: VolumeSource): string {
  const { username, name } = source;
  if (source.kind === "volume") return join(dataDir, "volumes", pathSegment(username), pathSegment(name));
  return join(dataDir, "disks", pathSegment(username), pathSegment(source.region), pathSegment(name));
}

/** The working folder of a workload's processes, removed with the workload. */
export function workFolder(dataDir: string, uid: string): string {
  return join(workFolders(dataDir), pathSegment(uid));
}

export function workFolders(dataDir: string): string {
  return join(dataDir, "work");
}
