import type { Service, Job } from "../../api/answers.ts";
import { digestWord, imageOf } from "../../api/image.ts";
import {
  AT_REST,
  ROLLING,
  brief,
  isIdle,
  isStatus,
  serviceStatus,
  statusSentence,
  type WorkloadStatus,
  jobStatus,
} from "../../api/workload-status.ts";
import type { Change } from "./change.ts";
import { restartSeen } from "./effect.ts";
import { serviceSnapshot, isReported, setsRevision, updatableFields } from "./updatable-fields.ts";
import type { Health } from "./stored-change.ts";

/** Health of a workload in one poll, without the time. `waiting`: a later poll may show more. */
export type HealthNow = Pick<Health, "level" | "line" | "outcome"> & {
  readonly kind: "reached" | "trouble" | "waiting";
  /** The failing instance, if the workload names one. */
  readonly instance?: string;
};

/** For this long, the status from before the Change may still be reported. */
const OLD_STATUS_MS = 15_000;

/** Judges a service `sinceMs` after a Change was done, by the same status as every view. Pure. */
export function serviceHealth(change: Change, service: Service, sinceMs: number): HealthNow {
  const status = serviceStatus(service);
  const rollout = setsRevision(change) && isVisible(change, service) ? rolloutHealth(service, status) : undefined;
  if (rollout !== undefined) return rollout;
  const isUnwell = isTroubleOf(change, service, status);
  const seen = { level: status.level, line: lineOf(service, status, isUnwell) };
  const isShown = isVisible(change, service);
  if (isShown && isAtRest(change, service, status)) {
    return { kind: "reached", ...seen, line: restLine(change, service, seen.line) };
  }
  if (isShown && targetsOf(change).has(status.level)) return { kind: "reached", ...seen };
  const outcome = isUnwell || service.status === undefined ? statusSentence(status) : pendingWords(change, service);
  const isOld = service.status?.toLowerCase() === change.before?.status?.toLowerCase() && sinceMs < OLD_STATUS_MS;
  const isTrouble = isUnwell && status.level === "failing" && !isOld;
  return { kind: isTrouble ? "trouble" : "waiting", ...seen, outcome };
}

/** How a new revision is rolled out, while the workload API tells of it; undefined before and after. */
function rolloutHealth({ rollout }: Service, status: WorkloadStatus): HealthNow | undefined {
  const { state, ready, target, old_ready: old = 0 } = rollout ?? {};
  const { level, facts, reason, cause } = status;
  if (state !== "progressing" && (state !== "stuck" || cause === undefined)) return undefined;
  const why = cause === undefined ? [] : [facts, reason && brief(reason, LONGEST_REASON)];
  const counts = ready === undefined || target === undefined ? [] : [`${ready} of ${target} new instances ready`];
  const serves = old > 0 ? [`${counted(old, "old instance")} still ${old === 1 ? "serves" : "serve"}`] : [];
  return {
    // Until the API gives it up, it may still get ready.
    kind: state === "stuck" ? "trouble" : "waiting",
    level: cause === undefined ? "busy" : level,
    outcome: cause === undefined ? ROLLING : statusSentence(status),
    line: [...why, ...counts, ...serves].filter((fact) => fact !== undefined).join(" · "),
  };
}

/** "1 old instance", "3 old instances" */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A Change of which a reported field shows nothing hasn't been reached, however well the service runs. Pure. */
export function isVisible(change: Change, service: Service): boolean {
  const now = serviceSnapshot(service);
  if (change.call.op === "restartService" && restartSeen(change.before, now) === false) return false;
  return updatableFields(change, now).every(
    ({ wanted, now }) => wanted === undefined || now === wanted || !isReported(now),
  );
}

/** What runs of the image that was changed, and images that are others under the same name. Pure. */
export function imagesSeen(
  { before, call }: Change,
  { containers = [], init_containers: init = [], revisions = [] }: Service,
): { readonly digest: string | undefined; readonly moved: readonly string[] } {
  const goal = call.op === "updateService" ? call.body.revision : undefined;
  const kept = revisions.find(({ revision }) => goal !== undefined && revision === goal);
  const all = [...containers, ...init].map(({ image, image_digest }, at) => ({
    isSame: image !== undefined && image === before?.images?.[at],
    image,
    digest: image_digest,
    previous: before?.digests?.[at],
    inGoal: image !== undefined && image === kept?.images?.[at] ? kept.image_digests?.[at] : undefined,
  }));
  const [changed, ...others] = before?.images === undefined ? [] : all.filter(({ isSame }) => !isSame);
  const isNamed = imageOf(changed?.image ?? "").digest !== undefined;
  return {
    digest: others.length > 0 || isNamed ? undefined : digestWord(changed?.digest),
    moved: all.flatMap(({ isSame, digest, previous, inGoal }) => {
      const [tag, other] =
        inGoal === undefined ? ["same tag", isSame ? previous : undefined] : [`tag of version ${goal}`, inGoal];
      const [then, now] = [digestWord(other), digestWord(digest)];
      const isMoved = then !== undefined && now !== undefined && digest !== other;
      return isMoved ? [`${tag}, other image: ${then} → ${now}`] : [];
    }),
  };
}

/** Whether an update is complete because the service has no instances to replace. */
function isAtRest(
  { call, before }: Change,
  { status, target_instance_size: size }: Service,
  { level }: WorkloadStatus,
) {
  if (call.op !== "updateService" || call.body.target_instance_size !== undefined) return false;
  const isStopped = level === "idle" && (isIdle(before?.status) || isStatus(status, "idle"));
  return isStopped || (size === 0 && level !== "failing");
}

/** Of an idle service, the status already says what brings it back. */
function restLine(change: Change, { status }: Service, line: string): string {
  return setsRevision(change) && !isStatus(status, "idle") ? `${line} · ${AT_REST}` : line;
}

/** The levels that a Change leads to. */
function targetsOf({ call }: Change): ReadonlySet<WorkloadStatus["level"]> {
  if (call.op === "stopService") return new Set(["idle"]);
  const size = call.op === "updateService" || call.op === "createService" ? call.body.target_instance_size : undefined;
  return new Set(size === 0 ? ["healthy", "idle"] : ["healthy"]);
}

function pendingWords({ call: { op } }: Change, { ready_instances: ready = 0 }: Service): string {
  if (op === "stopService") return "isn't stopped yet";
  if (ready === 0) return "isn't running yet";
  return op === "restartService" ? "is still replacing instances" : "isn't fully running yet";
}

/** A service may fail while it stops, and a restart restarts it. */
function isTroubleOf({ call: { op } }: Change, { status }: Service, seen: WorkloadStatus): boolean {
  if (op === "stopService" || (op === "restartService" && isStatus(status, "restarting"))) return false;
  return seen.cause !== undefined;
}

/** Undefined where "1 of 1 running" beside "failed" would read like a contradiction. */
function countsOf({ ready_instances: ready, target_instance_size: size }: Service, status: WorkloadStatus) {
  if (ready === undefined || size === undefined || size === 0) return undefined;
  return status.level === "failing" && ready >= size ? undefined : `${ready} of ${size} running`;
}

/** A card has a button that shows all of it. */
const LONGEST_REASON = 160;

/** "3 of 3 running", with counts only where the API sends them; otherwise its status, unless the outcome says it, and reason. */
function lineOf(service: Service, status: WorkloadStatus, isInOutcome: boolean): string {
  const { level, words, facts, reason } = status;
  const counts = level === "idle" ? undefined : countsOf(service, status);
  if (level === "healthy" && counts !== undefined) return counts;
  const isSaid = isInOutcome || (counts !== undefined && words.startsWith("running"));
  const now = isSaid ? undefined : words;
  const why = reason === undefined ? undefined : brief(reason, LONGEST_REASON);
  return [counts, now, facts, why].filter((fact) => fact !== undefined).join(" · ");
}

export type JobHealthNow = HealthNow &
  Pick<Health, "startedAt" | "endedAt"> & {
    /** How long it ran, if it is complete and says so. */
    readonly ranMs?: number;
  };

/** Judges a job by the same status as every view: `waiting` until it is complete or has failed. Pure. */
export function jobHealth(job: Job): JobHealthNow {
  const seen = jobStatus(job);
  const { level, words, cause, facts, reason: all = "" } = seen;
  const reason = brief(all, LONGEST_REASON);
  const { failed = 0, startTime: startedAt, completionTime: endedAt } = job.status ?? {};
  const times = { ...(startedAt !== undefined && { startedAt }), ...(endedAt !== undefined && { endedAt }) };
  if (cause === "job-failed") {
    const last = job.instance_names?.at(-1);
    return {
      kind: "trouble",
      level,
      ...times,
      ...failureWords(job, reason),
      ...(last !== undefined && { instance: last }),
    };
  }
  if (words === "complete") {
    const line = failed === 0 ? "" : `after ${failed} failed ${failed === 1 ? "attempt" : "attempts"}`;
    return { kind: "reached", level, outcome: "completed", line, ...times, ...runTime(job) };
  }
  return {
    kind: "waiting",
    level,
    outcome: waitingWords(job, seen),
    line: facts === undefined ? reason : [facts, reason].filter((part) => part !== "").join(" · "),
    ...times,
  };
}

function waitingWords({ status }: Job, seen: WorkloadStatus): string {
  if (status === undefined && seen.cause === undefined) return "was created, status not reported";
  return seen.words === "pending" ? "is starting" : statusSentence(seen);
}

/** "failed: exit code 2 after 4 attempts", with what is known. */
function failureWords(
  { status, restart_count: restarts = 0 }: Job,
  reason: string,
): Pick<HealthNow, "outcome" | "line"> {
  const { failed = 0 } = status ?? {};
  const [said, exitCode] = /\bexit(?:ed with)?(?: code| status)? (\d{1,5})\b/iu.exec(reason) ?? [];
  const after = afterWords(failed, restarts);
  // A reason that only counts the attempts, as the headline does.
  const isOnlyCount = /^the job failed \d+ times\b/u.test(reason);
  if (exitCode === undefined) return { outcome: `failed${after}`, line: isOnlyCount ? "" : reason };
  // The headline says it all already.
  const line = [said, `${said}${after}`].includes(reason.trim()) ? "" : reason;
  return { outcome: `failed: exit code ${exitCode}${after}`, line };
}

/** Kubernetes restarts a container several times before it counts one attempt as failed. */
function afterWords(failed: number, restarts: number): string {
  if (failed > 0) return ` after ${failed} ${failed === 1 ? "attempt" : "attempts"}`;
  return restarts > 0 ? ` after ${restarts} ${restarts === 1 ? "restart" : "restarts"}` : "";
}

function runTime({ status }: Job): { readonly ranMs?: number } {
  const ms = Date.parse(status?.completionTime ?? "") - Date.parse(status?.startTime ?? "");
  return Number.isNaN(ms) || ms < 0 ? {} : { ranMs: ms };
}
