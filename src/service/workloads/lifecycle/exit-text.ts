import type { Exit } from "../runtime.ts";

/** How a unit ended, as a clause: "exited with code 137 (out of memory)". */
export function exitClause(exit: Exit): string {
  if (exit.startError !== undefined) return `couldn't be started: ${exit.startError}`;
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
