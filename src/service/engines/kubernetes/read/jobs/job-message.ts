import { attemptsText } from "../../../../workloads/jobs/attempts-text.ts";
import type { JobRunFacts } from "../../../../workloads/jobs/job-answer.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { foreignController } from "../owner.ts";
import { podHealth } from "../pod-health.ts";
import { failureOf } from "./job-conditions.ts";

type Judged = {
  readonly object: KubeObject<"Job">;
  readonly job: Job;
  readonly pods: readonly KubeObject<"Pod">[];
  readonly run: JobRunFacts;
};

/** The job controller is faster. */
const FIRST_POD_WITHIN_MS = 30_000;

/** Why a job doesn't run as it should, or why it failed. */
export function jobMessage({ object, job, pods, run }: Judged, now: Date): string | undefined {
  if (job.outcome === "complete" || object.spec.suspend === true) return undefined;
  if (job.outcome === "failed")
    return run.conditions.find(({ type }) => type === failureOf(object.status)?.type)?.message;
  // Its last pods still end, whichever way.
  if (run.conditions.some(({ type, status }) => type === "SuccessCriteriaMet" && status === "True")) return undefined;
  const health = pods.map((pod) => podHealth(pod, now));
  const unwell = [
    ...health.filter(({ state }) => state === "failing"),
    ...health.filter(({ state }) => state === "waiting"),
  ];
  const reason = unwell.find((each) => each.reason !== undefined)?.reason;
  if (reason !== undefined) return reason;
  if (job.failures > 0) return attemptsText(job);
  const isLate = now.getTime() - Date.parse(job.createdAt) > FIRST_POD_WITHIN_MS;
  if (pods.length > 0 || !isLate) return undefined;
  const controller = foreignController(object);
  // A quota that is used up, for example: a Job has no condition for it.
  if (controller === undefined) return "Kubernetes hasn't created its instance: see its events";
  // Its pods may be in another cluster.
  return job.startedAt === undefined ? `${controller} hasn't started it` : undefined;
}
