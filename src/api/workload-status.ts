import { defined } from "../platform/optional.ts";
import { type Cause, causeWords, endCause, isCrashLoop, mayPass, startCause, textAbout } from "./cause.ts";
import type { RawJob as Job, RawLastState as LastState, RawService as Service } from "./workload-shapes.ts";

/**
 * How well a workload is. `failing` needs somebody; `busy` is on its way or unsure; `idle` is stopped or complete.
 * A status is never rosier than what the API says.
 */
export const levels = ["healthy", "busy", "failing", "idle"] as const; // literal words
export type Level = (typeof levels)[number];

export type WorkloadStatus = {
  readonly level: Level;
  /** Lower case, without a dot: `running`, `keeps crashing`, `its new instances don't get ready`. */
  readonly words: string;
  /** How often and how it ended, after the words: `exit 137, 6 restarts in 4 min`. */
  readonly facts?: string;
  /** Why it isn't well; undefined while it is, and while it is only on its way. */
  readonly cause?: Cause;
  /** Why, when the API says so: `exited with code 137 (out of memory)`. */
  readonly reason?: string;
  /** Since when, as an ISO 8601 time, when the API says so. */
  readonly since?: string;
  /** When it last ended, where the facts count restarts without a time. */
  readonly lastAt?: string;
};

const known = {
  healthy: "running active available healthy online ready started up",
  idle: "complete completed succeeded stopped idle suspended halted inactive paused",
  busy: "starting updating stopping pending deleting",
} as const; // the names are levels
const levelByWord = new Map(
  (["healthy", "idle", "busy"] as const).flatMap((level) =>
    known[level].split(" ").map((word): [string, Level] => [word, level]),
  ),
);

/** Words of other services and of Kubernetes for a workload that doesn't run as it should. */
const FAILING = /fail|error|crash|back-?off|oom|unhealthy|degraded|restarting/iu;

/** A status word that nobody documents may mean anything, so it isn't shown as healthy. */
export function levelOf(word: string): Level {
  return levelByWord.get(word.trim().toLowerCase()) ?? (FAILING.test(word) ? "failing" : "busy");
}

export function isIdle(word: string | undefined): boolean {
  return word !== undefined && levelOf(word) === "idle";
}

/** What a card says of a new version that replaces no instances, because the service has none. */
export const AT_REST = "runs when it is started";

/** What a card says of instances that are being replaced, and don't fail. */
export const ROLLING = "is being rolled out";

export function isHealthy(word: string | undefined): boolean {
  return word !== undefined && levelOf(word) === "healthy";
}

/** Compares words of status, which APIs write in any case. */
export function isStatus(word: string | undefined, wanted: string): boolean {
  return word?.trim().toLowerCase() === wanted.toLowerCase();
}

/** One restart can be an accident; from here on a service restarts again and again. */
const REPEATED = 2;

/** The one judgement of a service: every view, card and watch words and colours it from this. Pure. */
export function serviceStatus(service: Service): WorkloadStatus {
  const { status, message, last_state, status_since: since } = service;
  if (status === undefined) return { level: "busy", words: "status unknown" };
  const trouble = troubleOf(service, status);
  if (trouble !== undefined) return { ...(since !== undefined && { since }), ...trouble };
  const { level, words } = incomplete(service, { level: levelOf(status), words: wordsOf(service, status) });
  const isWell = level === "healthy" || level === "idle";
  const reason = isWell ? message : reasonWith(last_state, message);
  return {
    // The API says why it isn't running as it should, so it isn't.
    level: level === "healthy" && message !== undefined ? "busy" : level,
    words,
    ...defined({ reason, since }),
  };
}

/**
 * Why a service isn't well; undefined while it is, and while it goes down. A failed start says more than how earlier
 * instances ended, and an end says more than that an instance isn't ready.
 */
function troubleOf(service: Service, status: string): WorkloadStatus | undefined {
  const said = levelOf(status);
  if (said === "idle" || GOING_DOWN.test(status)) return undefined;
  const { name, message, rollout, last_state: last, restarts } = service;
  const isStuck = rollout?.state === "stuck";
  const isFailing = said === "failing" || isStuck;
  const why = isStuck ? (rollout.message ?? message) : message;
  const recent = recentRestarts(service);
  // Most services of a list: nothing is read of their texts.
  if (said === "healthy" && message === undefined && !isStuck && !isShort(service) && recent === undefined)
    return undefined;
  const text = textAbout(name, [status, message, isStuck ? rollout.message : undefined]);
  const isNotStarting = said !== "healthy" || isStuck || isShort(service) || recent !== undefined;
  const before = isNotStarting ? startCause(text) : undefined;
  if (before !== undefined) {
    // The engine's status says when it is late.
    const level = mayPass(before, text) && !isFailing ? "busy" : "failing";
    return { level, cause: before, words: ofVersion(service, before), ...(why !== undefined && { reason: why }) };
  }
  const isLooping = isCrashLoop(text);
  // How it ended once, long ago, says nothing about now.
  const mayBeRecent = isFailing && restarts?.count !== 0;
  const counted = recent ?? (mayBeRecent || isLooping ? restartsEver(service) : undefined);
  const isRecent = counted !== undefined || mayBeRecent || (restarts?.count ?? 0) > 0;
  const ended = endCause(isRecent ? textAbout(name, [text, restarts?.last_reason, last?.reason]) : text);
  const hasEndedOnce = ended === "out-of-memory" && isRecent && said !== "healthy";
  if (!isFailing && !isLooping && counted === undefined && !hasEndedOnce) return undefined;
  const isCrashing = counted !== undefined || isLooping;
  const cause = ended ?? (isCrashing ? "crash-loop" : isStuck ? "stuck" : "failing");
  const level = isFailing || isCrashing ? "failing" : "busy";
  const words =
    cause === "failing" ? failingWords(status) : isStuck ? ofVersion(service, cause) : causeWords[cause].one;
  if (counted === undefined) {
    const reason = reasonWith(isRecent ? last : undefined, why);
    return { level, cause, words, ...(reason !== undefined && { reason }) };
  }
  const { count, time, ...when } = counted;
  const reason = why ?? restarts?.last_reason;
  return {
    level,
    cause,
    words,
    facts: `${restartsWords(last, count, cause)}${time}`,
    // One fact, one place: the facts say how it ended.
    ...(reason !== undefined && !names(reason, last) && { reason }),
    ...when,
  };
}

/** "failing", "failing, degraded": an unusual word of the API is kept. */
function failingWords(status: string): string {
  return isStatus(status, "failed") ? "failing" : `failing, ${status.toLowerCase()}`;
}

/** "its new instances can't pull their images", while the old ones may still serve. */
function ofVersion(service: Service, cause: Cause): string {
  const isReplacing = service.rollout?.state === "stuck" || service.rollout?.state === "progressing";
  const { one, several } = causeWords[cause];
  return isReplacing && !isFirstRollout(service) ? `its new instances ${several}` : one;
}

/**
 * What a status comes to after a name or "it": "is starting", "keeps crashing". With "its", the name needs a colon. Pure.
 */
export function statusSentence({
  words,
  cause,
}: Pick<WorkloadStatus, "words"> & { readonly cause?: Cause | undefined }): string {
  if (words === "status unknown") return "has an unknown status";
  if (words === LAST_RUN_FAILED) return "failed in its last run";
  return cause === undefined || cause === "failing" ? `is ${words}` : words;
}

const LAST_RUN_FAILED = "last run failed";

/** `updating, 12 of 50 replaced`, `idle, autoscaler web-hpa brings it back` */
function wordsOf(service: Service, status: string): string {
  const words = status.toLowerCase();
  if (words === "idle" && service.size_set_by !== undefined) return `idle, ${service.size_set_by} brings it back`;
  const { state, ready, target } = service.rollout ?? {};
  const isReplacing =
    state === "progressing" && ready !== undefined && target !== undefined && !isFirstRollout(service);
  return isReplacing && levelOf(status) === "busy" ? `${words}, ${ready} of ${target} replaced` : words;
}

/** Whether its instances take the place of no others, as those of a new service. */
export function isFirstRollout({ rollout, ready_instances: all }: Service): boolean {
  if (rollout === undefined || rollout.from !== undefined) return false;
  return rollout.old_ready === undefined ? rollout.ready === all : rollout.old_ready === 0;
}

const GOING_DOWN = /^(?:stopping|deleting)$/iu;

type Restarts = Pick<WorkloadStatus, "since" | "lastAt"> & {
  readonly count: number;
  /** " in 4 min", where the API says so. */
  readonly time: string;
};

function recentRestarts({ restarts }: Service): Restarts | undefined {
  const { count = 0, first_at: since, last_at } = restarts ?? {};
  if (count < REPEATED) return undefined;
  return { count, time: inWhatTime(since, last_at), ...(since !== undefined && { since }) };
}

/** A count over weeks says nothing about now, unless the service fails or is said to crash. */
function restartsEver({ restart_count: count = 0, last_state }: Service): Restarts | undefined {
  if (count < REPEATED) return undefined;
  const lastAt = last_state?.finished_at;
  return { count, time: "", ...(lastAt !== undefined && { lastAt }) };
}

/** "Running" with too few ready instances isn't healthy. */
function incomplete(
  service: Service,
  status: { readonly level: Level; readonly words: string },
): { readonly level: Level; readonly words: string } {
  if (status.level !== "healthy" || !isShort(service)) return status;
  const { ready_instances: ready, target_instance_size: size } = service;
  return { level: "busy", words: `${status.words}, ${ready} of ${size} ready` };
}

function isShort({ ready_instances: ready, target_instance_size: size }: Service): boolean {
  return ready !== undefined && size !== undefined && ready < size;
}

/**
 * The status of a job, following Kubernetes
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions): a true condition decides; a
 * failed attempt alone doesn't, because it is retried, but the job isn't healthy then. An unknown true condition counts
 * when nothing else applies.
 */
export function jobStatus(job: Job): WorkloadStatus {
  if (job.schedule !== undefined) return scheduleStatus(job.schedule);
  const status = job.status ?? {};
  const conditions = (status.conditions ?? []).filter((each) => isStatus(each.status, "true"));
  // Of newer clusters, before its last instances have ended: it isn't tried again.
  const failed = ["failed", "failuretarget"]
    .map((wanted) => conditions.find(({ type }) => isStatus(type, wanted)))
    .find((each) => each !== undefined);
  if (failed !== undefined)
    return withWhy({ level: "failing", words: "failed", cause: "job-failed" }, failedBecause(job, failed));
  const complete = conditions.find(({ type }) => isStatus(type, "complete"));
  if (complete !== undefined || status.completionTime !== undefined) {
    const since = status.completionTime ?? complete?.lastTransitionTime;
    return { level: "idle", words: "complete", ...(since !== undefined && { since }) };
  }
  const suspended = conditions.find(({ type }) => isStatus(type, "suspended"));
  if (suspended !== undefined) return withWhy({ level: "idle", words: "suspended" }, suspended);
  const done = conditions.find(({ type }) => isStatus(type, "successcriteriamet"));
  if (done !== undefined) return withWhy({ level: "busy", words: "completing" }, { ...done, message: ENDING });
  return unfinished(job, conditions.at(-1)?.type);
}

const ENDING = "its work is done, its last instances still end";

/** A CronJob is as its newest run was. */
function scheduleStatus({
  suspended,
  last_result: result,
  last_run: since,
}: NonNullable<Job["schedule"]>): WorkloadStatus {
  if (result === "failed")
    return { level: "failing", words: LAST_RUN_FAILED, cause: "job-failed", ...(since !== undefined && { since }) };
  if (suspended === true) return { level: "idle", words: "suspended" };
  if (result === "running") return { level: "healthy", words: "running", ...(since !== undefined && { since }) };
  return { level: "idle", words: "scheduled" };
}

/** The job's own message says more than the condition of Kubernetes: "Job has reached the specified backoff limit". */
function failedBecause({ message, last_state: last, restart_count: count = 0 }: Job, failed: Why): Why {
  const reason = message ?? failed.message ?? "";
  if (isStatus(failed.reason, "deadlineexceeded")) return { ...failed, message: overDeadline(last, reason) };
  const isTold = count === 0 || names(reason, last);
  const told = isTold
    ? reasonWith(last, reason)
    : [restartsWords(last, count), reason].filter((part) => part !== "").join(" · ");
  return { ...failed, message: told };
}

/** Its end is a consequence: Kubernetes ended it. */
function overDeadline(last: Job["last_state"], reason: string): string {
  const end = names(reason, last) ? reason : reasonWith(last, undefined);
  const ran = "ran longer than its deadline";
  return end === undefined ? ran : `${ran} · ${end}`;
}

function unfinished(job: Job, condition: string | undefined): WorkloadStatus {
  const { status = {}, message, restart_count: restarts = 0 } = job;
  const attempts = status.failed ?? 0;
  const text = textAbout(job.metadata.name, [message]);
  const before = startCause(text);
  if (before !== undefined) {
    const level = mayPass(before, text) ? "busy" : "failing";
    return { level, cause: before, words: causeWords[before].one, ...(message !== undefined && { reason: message }) };
  }
  if (attempts > 0 || restarts > 0) return retrying(job, attempts, restarts);
  if (message !== undefined) return { level: "busy", words: "waiting", reason: message };
  const since = defined({ since: status.startTime });
  if ((status.active ?? 0) > 0) return { level: "healthy", words: "running", ...since };
  if (condition !== undefined) return { level: levelOf(condition), words: condition.toLowerCase(), ...since };
  if (job.status === undefined) return { level: "busy", words: "status unknown" };
  return status.startTime === undefined
    ? { level: "busy", words: "pending" }
    : { level: "healthy", words: "running", ...since };
}

/** Kubernetes counts an attempt as failed only when its pod is gone; before that, it restarts the container. */
function retrying({ metadata, message, last_state: last }: Job, attempts: number, restarts: number): WorkloadStatus {
  const isOutOfMemory = endCause(textAbout(metadata.name, [message, last?.reason])) === "out-of-memory";
  const worded = (how: string): Pick<WorkloadStatus, "words" | "facts" | "cause"> =>
    isOutOfMemory ? { words: causeWords["out-of-memory"].one, facts: how, cause: "out-of-memory" } : { words: how };
  if (attempts > 0) {
    // The words have the number of attempts already.
    const reason = reasonWith(last, message)?.replace(/ after \d+ attempts?$/u, "");
    const words = `retrying after ${attempts} failed ${attempts === 1 ? "attempt" : "attempts"}`;
    return { level: "busy", ...worded(words), ...(reason !== undefined && { reason }) };
  }
  const reason = message === undefined || names(message, last) ? undefined : message;
  const facts = defined({ reason, lastAt: last?.finished_at });
  return { level: "busy", ...worded(`retrying, ${restartsWords(last, restarts)}`), ...facts };
}

type Why = {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
};

function withWhy(status: WorkloadStatus, { message, lastTransitionTime: since }: Why): WorkloadStatus {
  return { ...status, ...defined({ reason: message === "" ? undefined : message, since }) };
}

/** Words of Kubernetes that say no more than the exit code does, and one that few people know. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["Error", ""],
  ["Completed", ""],
  ["OOMKilled", "out of memory"],
]);

/** How a container last ended: "out of memory, exit 137". Undefined when the API doesn't say. */
export function endWords(last: LastState): string | undefined {
  const { reason = "", exit_code: code } = last ?? {};
  const words = [reasons.get(reason) ?? reason, code === undefined ? "" : `exit ${code}`];
  return words.filter((part) => part !== "").join(", ") || undefined;
}

/** "exit 137, 6 restarts"; how it ended is left out where the words say it. */
function restartsWords(last: LastState, count: number, cause?: Cause): string {
  const isSaid = cause === "out-of-memory" && last?.reason === "OOMKilled";
  const end = endWords(isSaid ? { ...last, reason: undefined } : last);
  return `${end === undefined ? "" : `${end}, `}${count} ${count === 1 ? "restart" : "restarts"}`;
}

/** The reason that the API gives, after how the container ended unless it names the exit code itself. */
function reasonWith(last: LastState, reason: string | undefined): string | undefined {
  const end = endWords(last);
  if (end === undefined || reason === undefined || reason === "") return reason || end;
  return names(reason, last) ? reason : `${end} · ${reason}`;
}

/** Whether a text names the exit code: "exited with code 137", "exit code 2 after 4 attempts". */
function names(text: string, last: LastState): boolean {
  const code = last?.exit_code;
  return code !== undefined && new RegExp(String.raw`\b(?:exit|code)\D{0,20}\b${code}\b`, "iu").test(text);
}

/** " in 4 min"; "" when a time is missing. */
function inWhatTime(first: string | undefined, last: string | undefined): string {
  const ms = Date.parse(last ?? "") - Date.parse(first ?? "");
  if (Number.isNaN(ms) || ms < 0) return "";
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? ` in ${seconds} s` : ` in ${Math.round(seconds / 60)} min`;
}

/** At most `max` characters, cut after a word: messages of Kubernetes have hundreds. */
export function brief(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1).replace(/[\ud800-\udbff]$/u, "");
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > max / 2 ? end : undefined).replace(/[\s,;:·]+$/u, "")}…`;
}

/** The beginning of a reason, for a narrow column: "ImagePullBackOff", "exit 2, 3 restarts". That something waits says nothing. */
export function lead(reason: string): string {
  const why = reason.replace(/^\S+ is waiting: (?=\S)/u, "");
  return brief(/^.{3,}?(?=: | · |; |\. )/u.exec(why)?.[0] ?? why, LEAD);
}

const LEAD = 50;
