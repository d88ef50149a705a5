import type { Job } from "../../api/answers.ts";
import { brief } from "../../api/reason-words.ts";
import { jobStatus } from "../../api/workload-status.ts";
import type { HealthNow } from "./service-health.ts";

export type JobHealthNow = HealthNow & {
  /** How long it ran, if it is complete and says so. */
  readonly ranMs?: number;
};

/** A card has a button that shows all of it. */
const LONGEST_REASON = 160;

/** Judges a job by the same status as every view: `waiting` until it is complete or has failed. Pure. */
export function jobHealth(job: Job): JobHealthNow {
  const { level, words, reason: all = "" } = jobStatus(job);
  const reason = brief(all, LONGEST_REASON);
  const { failed = 0 } = job.status ?? {};
  if (level === "failing") {
    const last = job.instance_names?.at(-1);
    return {
      kind: "trouble",
      level,
      ...failureWords(job, reason),
      ...(last !== undefined && { instance: last }),
    };
  }
  if (words === "complete") {
    return { kind: "reached", level, outcome: "completed", line: attemptsLine(failed), ...runTime(job) };
  }
  return { kind: "waiting", level, outcome: waitingWords(job, words), line: reason };
}

function waitingWords({ status }: Job, words: string): string {
  if (status === undefined) return "was created, status not reported";
  return words === "pending" ? "is starting" : `is ${words}`;
}

/** "failed: exit code 2 after 4 attempts", with what is known. */
function failureWords(
  { status, restart_count: restarts = 0 }: Job,
  reason: string,
): Pick<HealthNow, "outcome" | "line"> {
  const { failed = 0 } = status ?? {};
  const [said, exitCode] = /\bexit(?:ed with)?(?: code| status)? (\d{1,5})\b/iu.exec(reason) ?? [];
  const after = afterWords(failed, restarts);
  if (exitCode === undefined) return { outcome: `failed${after}`, line: isCount(reason) ? "" : reason };
  // The headline says it all already.
  const line = reason.trim() === said ? "" : reason;
  return { outcome: `failed: exit code ${exitCode}${after}`, line };
}

/** Kubernetes restarts a container several times before it counts one attempt as failed. */
function afterWords(failed: number, restarts: number): string {
  if (failed > 0) return ` after ${failed} ${failed === 1 ? "attempt" : "attempts"}`;
  return restarts > 0 ? ` after ${restarts} ${restarts === 1 ? "restart" : "restarts"}` : "";
}

/** A reason that only counts the attempts, as the headline does. */
function isCount(reason: string): boolean {
  return /^the job failed \d+ times\b/u.test(reason);
}

function attemptsLine(failed: number): string {
  return failed === 0 ? "" : `after ${failed} failed ${failed === 1 ? "attempt" : "attempts"}`;
}

function runTime({ status }: Job): { readonly ranMs?: number } {
  const ms = Date.parse(status?.completionTime ?? "") - Date.parse(status?.startTime ?? "");
  return Number.isNaN(ms) || ms < 0 ? {} : { ranMs: ms };
}
