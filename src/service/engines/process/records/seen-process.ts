import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { isOutOfFiles } from "../../../workloads/state/file-errors.ts";

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
