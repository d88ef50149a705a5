import { MEMORY_RANGE, memoryMiB } from "../../../../api/memory.ts";
import { Refusal } from "../../../engine.ts";

/** The least that is enforced, in MiB: a Node program needs about 80 MiB before its first line runs, and would never
 * start with less. A smaller limit is remembered and answered as it was given, enforced as this, and the log says so. */
export const MEMORY_FLOOR_MIB = 128;

/** Parses any spelling of a memory size into whole MiB. Throws a `Refusal` 400 when it is out of range. */
export function readMemory(memory: string | number): number {
  const mib = memoryMiB(memory);
  if (mib === undefined) throw new Refusal(400, `a memory limit must be ${MEMORY_RANGE}`);
  return mib;
}

export function enforcedMib(limitMib: number): number {
  return Math.max(limitMib, MEMORY_FLOOR_MIB);
}
