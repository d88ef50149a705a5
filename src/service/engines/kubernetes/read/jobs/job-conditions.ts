import type { JobCondition } from "../../../../../api/schema.ts";
import { attemptsText } from "../../../../workloads/jobs/attempts-text.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { shortened } from "../ended-container.ts";

/** Newer clusters send further ones, such as SuccessCriteriaMet, which precede these. */
const KNOWN: ReadonlySet<string> = new Set(["Complete", "Failed", "Suspended"]);

/** The conditions of a job. A job that is suspended before its controller saw it says so too. */
export function jobConditions({ spec, status }: KubeObject<"Job">, job: Job): JobCondition[] {
  const known = status.conditions.filter(({ type }) => KNOWN.has(type));
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

type Condition = KubeObject<"Job">["status"]["conditions"][number];

function wordsOf({ type, reason, message }: Condition, job: Job): Pick<JobCondition, "reason" | "message"> {
  const words = type === "Failed" && reason === "BackoffLimitExceeded" ? attemptsText(job) : message;
  return {
    ...(reason !== undefined && { reason }),
    ...(words !== undefined && words !== "" && { message: shortened(words) }),
  };
}
