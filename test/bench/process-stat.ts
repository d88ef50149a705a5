import { readFileSync } from "node:fs";

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** The processor time that a process has used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The most memory that was resident so far, in MB (2^20 bytes). */
export function peakMb(pid: number): number {
  return Number(/VmHWM:\s*(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
