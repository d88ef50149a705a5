import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

// All of it synchronous, for the end of a process.

const PATIENCE_MS = 20_000;
const POLL_EVERY_MS = 50;

/** Ends a process, by force when it doesn't end in time or `atOnce`. */
export function terminate(pid: number, { atOnce = false }: { readonly atOnce?: boolean } = {}): void {
  if (!atOnce) {
    send(pid, "SIGTERM");
    waitWhile(() => isAlive(pid));
  }
  send(pid, "SIGKILL");
  waitWhile(() => isAlive(pid));
}

/** Processes whose command names this folder. */
export function processesIn(folder: string): readonly number[] {
  const pids = readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  return pids.filter((pid) => pid !== process.pid && textOf(pid, "cmdline").includes(folder));
}

/** Removes a folder with what is mounted in it. */
export function removeFolder(folder: string): void {
  const mounted = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(`${folder}/`))
    .toReversed();
  for (const path of mounted) spawnSync("umount", ["--lazy", path]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Not one that has ended and that nobody has collected. */
export function isAlive(pid: number): boolean {
  const state = /\) (\S)/u.exec(textOf(pid, "stat"))?.[1];
  return state !== undefined && state !== "Z";
}

function textOf(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(join("/proc", String(pid), file), "utf8");
  } catch {
    return "";
  }
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function waitWhile(isSo: () => boolean): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const deadline = Date.now() + PATIENCE_MS;
  while (isSo() && Date.now() < deadline) Atomics.wait(pause, 0, 0, POLL_EVERY_MS);
}
