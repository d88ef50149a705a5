import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";

/** What the API doesn't report of a Change that it accepted: "restarts". Undefined when the Change can be confirmed. */
export function unseenOf({ ending }: Pick<StoredChange, "ending">): string | undefined {
  return ending?.kind === "run" && ending.outcome.kind === "asked" ? ending.outcome.unseen : undefined;
}

/** Whether a row of kind `done` is about such a Change. Older versions wrote other words. */
export function isUnconfirmed({ result }: Pick<HistoryEvent, "result">): boolean {
  return /^(?:Accepted, can't be confirmed|The workload API doesn't report restarts)\b/u.test(result);
}
