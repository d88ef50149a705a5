import { execFileSync } from "node:child_process";
import type { Stage, Target } from "./stage.ts";

export type Memory = { readonly name: string; readonly rssMb: number };

/** Resident memory of a process in MB (2^20 bytes), as the system counts it. */
export function rssMb(pid: number): number {
  const kib = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).trim());
  return kib / 1024;
}

export function memoryOf({ gantry, bare, working, overSockets }: Stage): readonly Memory[] {
  return [gantry, bare, working, overSockets.gantry, overSockets.bare].map(({ name, pid }: Target) => ({
    name,
    rssMb: rssMb(pid),
  }));
}
