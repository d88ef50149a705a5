import { constants } from "node:os";
import type { LastState } from "../../../api/schema.ts";
import type { Exit } from "../runtime.ts";

/** How a unit ended, in the words and numbers of Kubernetes. */
export function lastStateOf(exit: Exit, finishedAt: string): LastState {
  const code = codeOf(exit);
  return { reason: reasonOf(exit), ...(code !== undefined && { exit_code: code }), finished_at: finishedAt };
}

function reasonOf({ code, isOutOfMemory, startError }: Exit): string {
  if (startError !== undefined) return "StartError";
  if (isOutOfMemory === true) return "OOMKilled";
  return code === 0 ? "Completed" : "Error";
}

const signals: Readonly<Record<string, number>> = constants.signals;

/** A shell reports a signal as 128 and its number, and so do Docker and Kubernetes. */
function codeOf({ code, signal = "" }: Exit): number | undefined {
  if (code !== null) return code;
  const number = signals[signal];
  return number === undefined ? undefined : 128 + number;
}
