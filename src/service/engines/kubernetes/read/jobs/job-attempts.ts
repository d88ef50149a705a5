import { exitPhrase } from "../../../../workloads/lifecycle/exit-text.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { exitOf } from "../ended-container.ts";
import { jobEndOf, laterEnd, readJobEnd } from "./job-end.ts";
import { lastStateOf, latestFailure, restartCount } from "../restarts.ts";

type Pod = KubeObject<"Pod">;
type Attempts = Pick<Job, "failures" | "lastExit" | "lastState"> & { readonly restarts: number };

/** The failed attempts of a job, and how the last of them ended. */
export function attemptsOf(job: KubeObject<"Job">, pods: readonly Pod[]): Attempts {
  return job.spec.template.spec.restartPolicy === "OnFailure" ? inPlace(job, pods) : inNewPods(job, pods);
}

/** Each failed pod is an attempt. */
function inNewPods({ status }: KubeObject<"Job">, pods: readonly Pod[]): Attempts {
  const failures = restartCount(pods) + status.failed;
  const last = latestFailure(pods);
  return {
    failures,
    restarts: isUsedUp(status) ? Math.max(0, failures - 1) : failures,
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
    restarts: Math.max(restartCount(pods), recorded?.restarts ?? 0, limit),
    lastExit: last && exitPhrase(exitOf(last)),
    lastState: last && lastStateOf(last),
  };
}

function isUsedUp({ conditions }: KubeObject<"Job">["status"]): boolean {
  return conditions.some(({ type, reason }) => type === "Failed" && reason === "BackoffLimitExceeded");
}
