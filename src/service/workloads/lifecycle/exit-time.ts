import type { Exit } from "../runtime.ts";

/** When a unit ended, as its runtime knows it; otherwise now. */
export function exitTime({ at }: Exit, now: Date): string {
  return (at === undefined ? now : new Date(at)).toISOString();
}

/** An end noticed later than this happened while nobody looked. */
const LATE_MS = 10_000;

/** Follows a clause about an end that was noticed late: " at 2026-11-21 23:59:10 UTC". Empty for others. */
export function lateText(exit: Exit, now: Date): string {
  const at = exitTime(exit, now);
  if (now.getTime() - Date.parse(at) < LATE_MS) return "";
  return ` at ${at.slice(0, 19).replace("T", " ")} UTC`;
}
