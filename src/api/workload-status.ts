import type { Job, Service } from "./answers.ts";

/**
 * How well a workload is. `failing` needs somebody; `busy` is on its way or unsure; `idle` is stopped or complete.
 * A status is never rosier than what the API says.
 */
export type Level = "healthy" | "busy" | "failing" | "idle";

export type WorkloadStatus = {
  readonly level: Level;
  /** Lower case, without a dot: `running`, `restarting, 6 times in 4 min`, `failed`. */
  readonly words: string;
  /** Why, when the API says so: `exited with code 137 (out of memory)`. */
  readonly reason?: string;
  /** Since when, as an ISO 8601 time, when the API says so. */
  readonly since?: string;
};

const levels: ReadonlyMap<string, Level> = new Map([
  ["running", "healthy"],
  ["active", "healthy"],
  ["ready", "healthy"],
  ["complete", "idle"],
  ["completed", "idle"],
  ["succeeded", "idle"],
  ["stopped", "idle"],
  ["suspended", "idle"],
  ["starting", "busy"],
  ["updating", "busy"],
  ["stopping", "busy"],
  ["pending", "busy"],
  ["deleting", "busy"],
]);

/** Words of other services and of Kubernetes for a workload that doesn't run as it should. */
const FAILING = /fail|error|crash|back-?off|oom|unhealthy|degraded|restarting/iu;

/** A status word that nobody documents may mean anything, so it isn't shown as healthy. */
export function levelOf(word: string): Level {
  return levels.get(word.toLowerCase()) ?? (FAILING.test(word) ? "failing" : "busy");
}

/** One restart can be an accident; from here on a service restarts again and again. */
const REPEATED = 2;
/** From here on it is failing, even if it runs at the moment. */
const MANY = 4;

export function serviceStatus(service: Service): WorkloadStatus {
  const { status, status_reason: reason, status_since: since } = service;
  if (status === undefined) return { level: "busy", words: "status unknown" };
  const looping = restartingStatus(service);
  if (looping !== undefined) return looping;
  const { level, words } = incomplete(service, { level: levelOf(status), words: status.toLowerCase() });
  return { level, words, ...(reason !== undefined && { reason }), ...(since !== undefined && { since }) };
}

/** A service that goes down may end as it likes. */
const GOING_DOWN = /^(?:stopping|deleting)$/iu;

/** Only while it should run, which includes one that crashes before it is ready and so never leaves `Starting`. */
function restartingStatus({ status = "", restarts, status_reason }: Service): WorkloadStatus | undefined {
  const level = levelOf(status);
  const isUp = level !== "idle" && !GOING_DOWN.test(status);
  if (!isUp || restarts?.count === undefined || restarts.count < REPEATED) return undefined;
  const { count, first_at, last_at, last_reason } = restarts;
  const reason = last_reason ?? status_reason;
  return {
    level: level === "failing" || count >= MANY ? "failing" : "busy",
    words: `restarting, ${count} times${within(first_at, last_at)}`,
    ...(reason !== undefined && { reason }),
    ...(first_at !== undefined && { since: first_at }),
  };
}

function within(first: string | undefined, last: string | undefined): string {
  const ms = Date.parse(last ?? "") - Date.parse(first ?? "");
  if (Number.isNaN(ms) || ms < 0) return "";
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? ` in ${seconds} s` : ` in ${Math.round(seconds / 60)} min`;
}

/** "Running" with too few ready instances isn't healthy. */
function incomplete(
  { ready_instances: ready, target_instance_size: size }: Service,
  status: { readonly level: Level; readonly words: string },
): { readonly level: Level; readonly words: string } {
  if (status.level !== "healthy" || ready === undefined || size === undefined || ready >= size) return status;
  return { level: "busy", words: `${status.words}, ${ready} of ${size} ready` };
}

/**
 * The status of a job, following Kubernetes
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions): a true condition decides; a
 * failed attempt alone doesn't, because it is retried, but the job isn't healthy then. An unknown true condition counts
 * when nothing else applies.
 */
export function jobStatus(job: Job): WorkloadStatus {
  const status = job.status ?? {};
  const conditions = (status.conditions ?? []).filter((each) => each.status === "True");
  const failed = conditions.find(({ type }) => type === "Failed");
  if (failed !== undefined) return withWhy({ level: "failing", words: "failed" }, failed);
  const complete = conditions.find(({ type }) => type === "Complete");
  if (complete !== undefined || status.completionTime !== undefined) {
    const since = status.completionTime ?? complete?.lastTransitionTime;
    return { level: "idle", words: "complete", ...(since !== undefined && { since }) };
  }
  const suspended = conditions.find(({ type }) => type === "Suspended");
  if (suspended !== undefined) return withWhy({ level: "idle", words: "suspended" }, suspended);
  return unfinished(job, conditions.at(-1)?.type);
}

function unfinished({ status = {} }: Job, condition: string | undefined): WorkloadStatus {
  const attempts = status.failed ?? 0;
  if (attempts > 0) return { level: "busy", words: `retrying after ${attempts} failed ${plural("attempt", attempts)}` };
  const since = status.startTime === undefined ? {} : { since: status.startTime };
  if ((status.active ?? 0) > 0) return { level: "healthy", words: "running", ...since };
  if (condition !== undefined) return { level: levelOf(condition), words: condition.toLowerCase(), ...since };
  return status.startTime === undefined
    ? { level: "busy", words: "pending" }
    : { level: "healthy", words: "running", ...since };
}

type Why = { readonly message?: string | undefined; readonly lastTransitionTime?: string | undefined };

function withWhy(status: WorkloadStatus, { message, lastTransitionTime: since }: Why): WorkloadStatus {
  return {
    ...status,
    ...(message !== undefined && message !== "" && { reason: message }),
    ...(since !== undefined && { since }),
  };
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
