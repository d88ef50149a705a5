import type { Memory } from "../../api/schema.ts";

/** The least that is enforced, in MiB: a Node program needs about 80 MiB before its first line runs, and would never
 * start with less. A smaller limit is remembered and answered as it was given, enforced as this, and the log says so. */
export const MEMORY_FLOOR_MIB = 128;

/** Reads `512`, `"512"` and `"512Mi"`, which all occur, as MiB. */
export function readMemory(memory: Memory): number {
  return typeof memory === "number" ? memory : Number(memory.replace(/Mi$/, ""));
}

export function enforcedMib(limitMib: number): number {
  return Math.max(limitMib, MEMORY_FLOOR_MIB);
}
