import type { Job } from "../../api/answers.ts";
import type { Level, WorkloadStatus } from "../../api/workload-status.ts";
import { grouped } from "./text.ts";

const dots: Readonly<Record<Level, string>> = { healthy: "🟢", busy: "🟡", failing: "🔴", idle: "⚪" };

/** The dot of a workload, the same in every view. */
export function dotOf({ level }: Pick<WorkloadStatus, "level">): string {
  return dots[level];
}

const marks: Readonly<Record<string, string>> = {
  Running: "🟢",
  Complete: "✅",
  Starting: "🟡",
  Updating: "🟡",
  Stopping: "🟡",
  Pending: "🟡",
  Stopped: "⚪",
  Suspended: "⚪",
  Deleting: "⚪",
  Failed: "🔴",
};

/** A status with its symbol; an unknown status without one. */
export function markedStatus(status: string): string {
  return Object.hasOwn(marks, status) ? `${marks[status]} ${status}` : status;
}

const known = ["Failed", "Complete", "Suspended"];

/**
 * The status of a job, following Kubernetes
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions): a true condition decides; a
 * failed instance alone doesn't, because it is retried. An unknown true condition is shown when nothing else applies.
 */
export function jobStatus(job: Job): string {
  const status = job.status ?? {};
  const conditions = (status.conditions ?? []).filter((each) => each.status === "True").map(({ type }) => type);
  const decided = known.find((type) => conditions.includes(type));
  if (decided !== undefined) return decided;
  if ((status.active ?? 0) > 0) return "Running";
  if (status.completionTime !== undefined) return "Complete";
  const other = conditions.at(-1);
  if (other !== undefined) return other;
  return status.startTime === undefined ? "Pending" : "Running";
}

/** "0 of 1 done", or "1 done" when the number of completions is unknown. */
export function jobProgress(job: Job): string {
  const done = grouped(job.status?.succeeded ?? 0);
  return job.spec?.completions === undefined ? `${done} done` : `${done} of ${grouped(job.spec.completions)} done`;
}
