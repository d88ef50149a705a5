import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";

/** What the figures of a run depend on. */
export function machine(): string {
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  return `node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, load average ${load}`;
}

/** Resident memory of a process in MB (2^20 bytes), as the system counts it. */
export function rssMb(pid: number): number {
  const kib = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).trim());
  return kib / 1024;
}
