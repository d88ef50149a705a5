import { exitPhrase } from "../../../../workloads/lifecycle/exit-text.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { exitOf } from "../ended-container.ts";
import { jobEndOf, laterEnd, readJobEnd } from "./job-end.ts";
import { lastStateOf, latestFailure, restartCount, sidecarRestarts } from "../restarts.ts";
import { failureOf } from "./job-conditions.ts";

type Pod = KubeObject<"Pod">;
type Attempts = Pick<Job, "failures" | "lastExit" | "lastState"> & {
  /** Undefined where nobody knows: a deadline or a rule ends a job without a further attempt, and its pods may be gone. */
  readonly restarts: number | undefined;
};

/** The failed attempts of a job, and how the last of them ended. */
export function attemptsOf(job: KubeObject<"Job">, pods: readonly Pod[]): Attempts {
  return job.spec.template.spec.restartPolicy === "OnFailure" ? inPlace(job, pods) : inNewPods(job, pods);
}

/** Each failed pod is an attempt. */
function inNewPods({ status }: KubeObject<"Job">, pods: readonly Pod[]): Attempts {
  const sidecars = sidecarRestarts(pods);
  const failures = restartCount(pods) - sidecars + status.failed;
  const last = latestFailure(pods);
  return {
    failures,
    restarts: isEndedOtherwise(status)
      ? undefined
      : sidecars + (isUsedUp(status) ? Math.max(0, failures - 1) : failures),
    lastExit: last && exitPhrase(exitOf(last)),
    lastState: last && lastStateOf(last),
  };
}

/**
 * The pod is kept and its containers are restarted. When there were too many failures, Kubernetes deletes the pod: then
 * their number is what was written on the Job, and at least the limit; how the last one ended is known if it was written.
 */
function inPlace({ metadata, spec, status }: KubeObject<"Job">, pods: readonly Pod[]): Attempts {
  const recorded = readJobEnd(metadata.annotations);
  const present = jobEndOf(pods);
  const last = laterEnd(recorded, present);
  const limit = isUsedUp(status) ? (spec.backoffLimit ?? 0) : 0;
  const attempts = Math.max(recorded?.attempts ?? 0, present?.attempts ?? 0);
  return {
    failures: isUsedUp(status) ? Math.max(attempts, limit, status.failed) : attempts + status.failed,
    restarts:
      isEndedOtherwise(status) && pods.length === 0
        ? recorded?.restarts
        : Math.max(restartCount(pods), recorded?.restarts ?? 0, limit),
    lastExit: last && exitPhrase(exitOf(last)),
    lastState: last && lastStateOf(last),
  };
}

function isUsedUp(status: KubeObject<"Job">["status"]): boolean {
  return failureOf(status)?.reason === "BackoffLimitExceeded";
}

/** By its deadline, a rule for failures, or indexes that failed. */
function isEndedOtherwise(status: KubeObject<"Job">["status"]): boolean {
  return failureOf(status) !== undefined && !isUsedUp(status);
}
