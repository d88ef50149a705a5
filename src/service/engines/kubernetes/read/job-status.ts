import { z } from "zod";
import type { JobCondition } from "../../../../api/schema.ts";
import { attemptsText, type JobRunFacts } from "../../../workloads/jobs/job-answer.ts";
import type { Job } from "../../../workloads/state/store.ts";
import type { KubeObject, Pod } from "../cluster/kinds.ts";
import { ageMs, type Evidence } from "./evidence.ts";
import { shortened, podHealth, exitOf, type ContainerStatus, lastEnd, type Terminated } from "./pod-health.ts";
import { foreignController } from "./owner.ts";
import { exitPhrase } from "../../../workloads/lifecycle/exit.ts";
import { lastStateOf, latestFailure, restartCount, sidecarRestarts, presentContainers } from "./restarts.ts";
import { annotations, fromAnnotation } from "../names.ts";

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

type Judged = {
  readonly object: KubeObject<"Job">;
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly run: JobRunFacts;
};

/** The job controller is faster. */
const FIRST_POD_WITHIN_MS = 30_000;

/** Why a job doesn't run as it should, or why it failed. */
export function jobMessage({ object, job, pods, run }: Judged, evidence: Evidence): string | undefined {
  if (job.outcome === "complete" || object.spec.suspend === true) return undefined;
  if (job.outcome === "failed")
    return run.conditions.find(({ type }) => type === failureOf(object.status)?.type)?.message;
  // Its last pods still end, whichever way.
  if (run.conditions.some(({ type, status }) => type === "SuccessCriteriaMet" && status === "True")) return undefined;
  const health = pods.map((pod) => podHealth(pod, evidence));
  const unwell = [
    ...health.filter(({ state }) => state === "failing"),
    ...health.filter(({ state }) => state === "waiting"),
  ];
  const reason = unwell.find((each) => each.reason !== undefined)?.reason;
  if (reason !== undefined) return reason;
  if (job.failures > 0) return attemptsText(job);
  const isLate = ageMs(job.createdAt, evidence) > FIRST_POD_WITHIN_MS;
  if (pods.length > 0 || !isLate) return undefined;
  const controller = foreignController(object);
  // A quota that is used up, for example: a Job has no condition for it.
  if (controller === undefined) return "Kubernetes hasn't created its instance: see its events";
  // Its pods may be in another cluster.
  return job.startedAt === undefined ? `${controller} hasn't started it` : undefined;
}

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
  const last = present && (!recorded || isLater(present, recorded)) ? present : recorded;
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

/**
 * How a container of a job last failed, as it is written on the Job: Kubernetes deletes the pod of a job that used up its
 * retries, and everything that only the pod knew.
 */
const JobEnd = z.object({
  reason: z.string().max(300).optional(),
  /** Only where the reason alone says too little. */
  message: z.string().optional(),
  exitCode: z.number(),
  finishedAt: z.iso.datetime({ offset: true }).optional(),
  /** How often the containers of the job had been restarted by then, and how many of their runs had failed. */
  restarts: z.int().min(0),
  attempts: z.int().min(0),
});

export type JobEnd = z.output<typeof JobEnd>;

/** Undefined where nothing was written, or somebody damaged it: then the pods alone count. */
export function readJobEnd(of: Readonly<Record<string, string>>): JobEnd | undefined {
  return fromAnnotation(JobEnd, of[annotations.lastEnd]);
}

/** How a container of these pods last failed; undefined if none did. For pods whose containers are restarted. */
export function jobEndOf(pods: readonly Pod[]): JobEnd | undefined {
  const containers = presentContainers(pods);
  const failures = containers.flatMap((container) => failuresOf(container));
  const last = failures.toSorted((left, right) => timeOf(left) - timeOf(right)).at(-1);
  if (!last) return undefined;
  const { reason, message, exitCode, finishedAt } = last;
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const attempts = restarts + containers.filter(hasJustFailed).length;
  // The message of a program that ran is its own: nobody reads it here.
  return { reason, ...(reason !== "Error" && { message }), exitCode, finishedAt, restarts, attempts };
}

type Container = ContainerStatus & { readonly pod: Pod };

/** A container that ends while its pod is being deleted didn't fail. */
function failuresOf({ state, lastState, pod }: Container): Terminated[] {
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  const ends = [lastState?.terminated, isDeleted ? undefined : state?.terminated];
  return ends.filter((end) => end !== undefined).filter(({ exitCode }) => exitCode !== 0);
}

/** Its last run failed, and the next one hasn't begun. */
function hasJustFailed(container: Container): boolean {
  if (!container.state || container.state.running) return false;
  const end = container.pod.metadata.deletionTimestamp === undefined ? lastEnd(container) : undefined;
  return end !== undefined && end.exitCode !== 0;
}

/** Times are whole seconds, in which a container can fail more than once. */
export function isLater(one: JobEnd, than: JobEnd): boolean {
  const [left, right] = [timeOf(one), timeOf(than)];
  return left > right || (!(left < right) && one.attempts > than.attempts);
}

function timeOf({ finishedAt }: Pick<JobEnd, "finishedAt">): number {
  return Date.parse(finishedAt ?? "");
}
