import type { Level, WorkloadStatus } from "../../api/workload-status.ts";

const dots: Readonly<Record<Level, string>> = { healthy: "🟢", busy: "🟡", failing: "🔴", idle: "⚪️" };

/** The dot of a workload, the same in every view. */
export function dotOf({ level }: Pick<WorkloadStatus, "level">): string {
  return dots[level];
}
