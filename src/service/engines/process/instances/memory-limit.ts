/**
 * The least that is enforced, in MiB: a Node program needs about 80 MiB before its first line runs and would never start
 * with less. A smaller limit is saved and answered as requested, enforced as this, and the log says so.
 */
export const MEMORY_FLOOR_MIB = 128;

/** Memory counted for a container without a limit: enough for a small program. */
const UNLIMITED_MIB = 64;

export function enforcedMib(limitMib: number): number {
  return Math.max(limitMib, MEMORY_FLOOR_MIB);
}

/** The memory that a container counts as. */
export function reservedMib(limitMib: number | undefined): number {
  return limitMib === undefined ? UNLIMITED_MIB : enforcedMib(limitMib);
}
