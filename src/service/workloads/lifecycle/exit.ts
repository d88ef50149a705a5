import { constants } from "node:os";
import type { Exit } from "../runtime.ts";
import type { LastState } from "../../../api/schema.ts";

/** How a unit ended, as a clause: "exited with code 137 (out of memory)". */
export function exitClause(exit: Exit): string {
  if (exit.startError !== undefined) return `couldn't be started: ${exit.startError}`;
  if (exit.surroundings !== undefined) return `ended while ${exit.surroundings}`;
  if (exit.isRemoved === true) return `was ${REMOVED}`;
  return exit.code === null ? `was ${killed(exit)}` : `exited with code ${exit.code}${cause(exit)}`;
}

/** The same as a phrase: "exit code 137 (out of memory)". */
export function exitPhrase(exit: Exit): string {
  if (exit.startError !== undefined) return `couldn't be started: ${exit.startError}`;
  if (exit.isRemoved === true) return REMOVED;
  return exit.code === null ? killed(exit) : `exit code ${exit.code}${cause(exit)}`;
}

const REMOVED = "removed outside Gantry";

function killed({ signal = "a signal" }: Exit): string {
  return `killed by ${signal}`;
}

function cause({ isOutOfMemory }: Exit): string {
  return isOutOfMemory === true ? " (out of memory)" : "";
}

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

const signals: Readonly<Record<string, number>> = constants.signals;

/** How a unit ended, in the words and numbers of Kubernetes. */
export function lastStateOf(exit: Exit, finishedAt: string): LastState {
  // A shell reports a signal as 128 and its number, and so do Docker and Kubernetes.
  const number = signals[exit.signal ?? ""];
  const code = exit.code ?? (number === undefined ? undefined : 128 + number);
  return { reason: reasonOf(exit), ...(code !== undefined && { exit_code: code }), finished_at: finishedAt };
}

function reasonOf({ code, isOutOfMemory, startError }: Exit): string {
  if (startError !== undefined) return "StartError";
  if (isOutOfMemory === true) return "OOMKilled";
  return code === 0 ? "Completed" : "Error";
}
