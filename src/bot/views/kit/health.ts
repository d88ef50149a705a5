import type { Level, WorkloadStatus } from "../../../api/workload-status.ts";
import { visible } from "./text.ts";
import { age } from "./time.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";

const dots: Readonly<Record<Level, string>> = { healthy: "🟢", busy: "🟡", failing: "🔴", idle: "⚪️" };

/** The dot of a workload, the same in every view. */
export function dotOf({ level }: Pick<WorkloadStatus, "level">): string {
  return dots[level];
}

/** "running", "exit 3, 6 restarts, last 2 min ago". */
export function statusWords({ words, lastAt }: Pick<WorkloadStatus, "words" | "lastAt">, now: Date): string {
  const ago = age(lastAt, now);
  return visible(ago === undefined ? words : `${words}, last ${ago} ago`);
}

/** How the workload was at the last look, as every view shows it. */
export function seenOf({ health, progress }: Pick<StoredChange, "health" | "progress">): Health | undefined {
  return health ?? progress;
}

/** Nothing is left to look at after a deletion, once it shows. */
export function isFollowed({ op, ending }: Pick<StoredChange, "op" | "ending">): boolean {
  if (op !== "deleteService" && op !== "deleteJob") return true;
  return ending?.kind === "run" && ending.outcome.kind === "asked";
}

/** What the API doesn't report of a Change that it accepted: "restarts". Undefined when the Change can be confirmed. */
export function unseenOf({ ending }: Pick<StoredChange, "ending">): string | undefined {
  return ending?.kind === "run" && ending.outcome.kind === "asked" ? ending.outcome.unseen : undefined;
}

/** Whether a row of kind `done` is about such a Change. Older versions wrote other words. */
export function isUnconfirmed({ result }: Pick<HistoryEvent, "result">): boolean {
  return /^(?:Accepted, can't be confirmed|The workload API doesn't report restarts)\b/u.test(result);
}
