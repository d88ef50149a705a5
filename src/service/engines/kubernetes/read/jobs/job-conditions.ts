import type { JobCondition } from "../../../../../api/schema.ts";
import { attemptsText } from "../../../../workloads/jobs/attempts-text.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { shortened } from "../ended-container.ts";

type Condition = KubeObject<"Job">["status"]["conditions"][number];

const KNOWN: ReadonlySet<string> = new Set(["Complete", "Failed", "Suspended"]);
/** Newer clusters say first how a job will end, and only when its pods are gone that it has. */
const BEFORE: ReadonlySet<string> = new Set(["FailureTarget", "SuccessCriteriaMet"]);

/**
 * Why a job has failed, also while its last pods still end.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#termination-of-job-pods
 */
export function failureOf({ conditions }: KubeObject<"Job">["status"]): Condition | undefined {
  const isTrue = (wanted: string) => conditions.find(({ type, status }) => type === wanted && status === "True");
  return isTrue("Failed") ?? isTrue("FailureTarget");
}

/** The conditions of a job. A job that is suspended before its controller saw it says so too. */
export function jobConditions({ spec, status }: KubeObject<"Job">, job: Job): JobCondition[] {
  const hasEnded = status.conditions.some(
    ({ type, status }) => type !== "Suspended" && KNOWN.has(type) && status === "True",
  );
  const known = status.conditions.filter(({ type }) => KNOWN.has(type) || (!hasEnded && BEFORE.has(type)));
  const conditions = known.map((condition) => ({
    type: condition.type,
    status: condition.status,
    lastProbeTime: condition.lastProbeTime ?? null,
    lastTransitionTime: condition.lastTransitionTime ?? null,
    ...wordsOf(condition, job),
  }));
  const isTold = conditions.some(({ type, status }) => status === "True" || type === "Suspended");
  if (spec.suspend !== true || isTold) return conditions;
  return [...conditions, { type: "Suspended", status: "True", message: "somebody suspended it" }];
}

function wordsOf({ type, reason, message }: Condition, job: Job): Pick<JobCondition, "reason" | "message"> {
  const isFailure = type === "Failed" || type === "FailureTarget";
  const words = isFailure && reason === "BackoffLimitExceeded" ? attemptsText(job) : message;
  return {
    ...(reason !== undefined && { reason }),
    ...(words !== undefined && words !== "" && { message: shortened(words) }),
  };
}
