import type { Job, Service } from "../api/answers.ts";
import type { Change, WorkloadRef } from "./change.ts";
import { Problem } from "../api/problem.ts";
import { failingLines, type FailingLinesDeps } from "./failing-lines.ts";
import type { Health } from "./stored-change.ts";

/** A workload as it was read after a Change; without either it was not there. */
export type WorkloadRead = { readonly service?: Service | undefined; readonly job?: Job | undefined };

export type HealthNow = {
  /** Whether the target is reached, something goes wrong, or neither yet. */
  readonly kind: "reached" | "trouble" | "waiting";
  /** What is seen, without the time: `2 instances run`, `still Updating`. */
  readonly line: string;
  /** The instance that fails, where the workload tells one. */
  readonly instance?: string;
};

/**
 * Words of a status that mean a crash, in small letters without anything else: those of our service, and of Kubernetes
 * and Docker, which services of this kind run on. Any other word that is not known is only shown.
 */
const crashWords: ReadonlySet<string> = new Set([
  "failed",
  "error",
  "crashed",
  "crashing",
  "crashloopbackoff",
  "imagepullbackoff",
  "errimagepull",
  "oomkilled",
  "restarting",
]);

/** A status of before the Change may stand for a while: until then it says nothing about the Change. */
const OLD_STATUS_MS = 15_000;

/** What a workload looks like `sinceMs` after a Change of it was done. Not for a deletion. Pure. */
export function healthOf(change: Change, seen: WorkloadRead, sinceMs: number): HealthNow {
  if (seen.job !== undefined) return jobHealth(seen.job);
  if (seen.service !== undefined) return serviceHealth(change, seen.service, sinceMs);
  return { kind: "waiting", line: "not to be found" };
}

/**
 * As Kubernetes means it (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions). A run
 * that failed is tried again, and is worth a look all the same.
 */
function jobHealth(job: Job): HealthNow {
  const status = job.status ?? {};
  const isTrue = (type: string): boolean =>
    (status.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
  const last = job.instance_names?.at(-1);
  const instance = last === undefined ? {} : { instance: last };
  const failed = status.failed ?? 0;
  if (isTrue("Failed")) return { kind: "trouble", line: "it has failed", ...instance };
  if (isTrue("Complete") || status.completionTime !== undefined) return { kind: "reached", line: "it is complete" };
  if (failed > 0) return { kind: "trouble", line: `${times(failed, "run")} failed, it is tried again`, ...instance };
  const isStarted = status.startTime !== undefined || (status.active ?? 0) > 0;
  return isStarted ? { kind: "reached", line: "it has started" } : { kind: "waiting", line: "not started" };
}

function serviceHealth(change: Change, service: Service, sinceMs: number): HealthNow {
  const { status } = service;
  if (status === undefined) return { kind: "waiting", line: "of a status that is not told" };
  const { op } = change.call;
  if (targetsOf(change).includes(status)) return { kind: "reached", line: reachedLine(status, service) };
  const isOld = status === change.before?.status && sinceMs < OLD_STATUS_MS;
  // What shall stop may fail until it has, and a restart restarts.
  if (isOld || op === "stopService" || !isCrash(status, op)) return { kind: "waiting", line: `still ${status}` };
  return { kind: "trouble", line: `its status is ${status}` };
}

/** The status words that a Change is on its way to. What was stopped stays so through an update. */
function targetsOf({ call, before }: Change): readonly string[] {
  if (call.op === "stopService") return ["Stopped"];
  const size = call.op === "updateService" || call.op === "createService" ? call.body.target_instance_size : undefined;
  const mayStop = size === 0 || (call.op === "updateService" && before?.status === "Stopped");
  return mayStop ? ["Running", "Stopped"] : ["Running"];
}

function isCrash(status: string, op: Change["call"]["op"]): boolean {
  const word = status.toLowerCase().replaceAll(/[^a-z]/gu, "");
  return crashWords.has(word) && !(op === "restartService" && word === "restarting");
}

function reachedLine(status: string, { target_instance_size: size }: Service): string {
  if (status === "Stopped") return "it is stopped";
  if (size === undefined) return "it runs";
  return `${times(size, "instance")} ${size === 1 ? "runs" : "run"}`;
}

function times(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export type WatchHealthDeps = FailingLinesDeps & {
  /** A pause; it may end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
};

/** The pauses before each read, in milliseconds: with the log five calls at most. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000];

/** Statuses of an answer after which another read will get the same one. */
const HOPELESS: ReadonlySet<number> = new Set([400, 401, 403, 405, 429]);

/**
 * Follows a workload after a Change of it was done, until it is as it should be, something goes wrong, or half a minute
 * is over. At most four reads and one page of log. Never throws a `Problem`. When the signal was aborted on the way,
 * `not-yet` is no last word: somebody else may follow it anew.
 */
export async function watchHealth(change: Change, deps: WatchHealthDeps): Promise<Health> {
  const { op } = change.call;
  if (op === "deleteService" || op === "deleteJob") return withoutExcerpt("unwatched", "");
  const startedMs = deps.nowMs();
  let last = (after: string): string => `not looked at after ${after}; look with show`;
  for (const pauseMs of PAUSES_MS) {
    await deps.wait(pauseMs);
    if (deps.signal.aborted) break;
    const read = await readWorkload(change.workload, deps);
    const sinceMs = deps.nowMs() - startedMs;
    if (read instanceof Problem) {
      last = (after) => `could not be read, ${after} after: ${read.sentence}`;
      if (read.status !== undefined && HOPELESS.has(read.status)) break;
      continue;
    }
    const now = healthOf(change, read, sinceMs);
    const line = `${now.line}, ${seconds(sinceMs)} later`;
    if (now.kind === "reached") return withoutExcerpt("reached", line);
    if (now.kind === "trouble") return trouble(change, { now, line }, deps);
    last = (after) => `${now.line} after ${after}; look with show`;
  }
  return withoutExcerpt("not-yet", last(seconds(deps.nowMs() - startedMs)));
}

type Trouble = { readonly now: HealthNow; readonly line: string };

async function trouble({ workload }: Change, { now, line }: Trouble, deps: WatchHealthDeps): Promise<Health> {
  return { kind: "trouble", line, excerpt: await failingLines(workload, now.instance, deps) };
}

function withoutExcerpt(kind: Health["kind"], line: string): Health {
  return { kind, line, excerpt: [] };
}

/** One call. A 404 is an answer: it is not there. */
async function readWorkload(
  { kind, region, name }: WorkloadRef,
  { api, signal }: WatchHealthDeps,
): Promise<WorkloadRead | Problem> {
  try {
    if (kind === "job") {
      const path = { region, job_name: name };
      return { job: await api.send({ op: "getJob", path, query: undefined, body: undefined }, { signal }) };
    }
    const path = { region, service_name: name };
    return { service: await api.send({ op: "getService", path, query: undefined, body: undefined }, { signal }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status === 404 ? {} : error;
  }
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
