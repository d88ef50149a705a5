import type { Level, WorkloadStatus } from "../../../api/workload-status.ts";
import { visible } from "./text.ts";
import { age } from "./time.ts";

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
