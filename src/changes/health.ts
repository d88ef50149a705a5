import type { Job, Service } from "../api/answers.ts";
import { readWorkload, type WorkloadRead } from "./read-workload.ts";
import type { Change } from "./change.ts";
import { Problem } from "../api/problem.ts";
import { failingLines, type FailingLinesDeps } from "./failing-lines.ts";
import type { Health } from "./stored-change.ts";

export type HealthNow = {
  readonly kind: "reached" | "trouble" | "waiting";
  /** Without the time: `2 instances run`, `still Updating`. */
  readonly line: string;
  /** The failing instance, if the workload names one. */
  readonly instance?: string;
};

/**
 * Statuses that mean a crash, lower-case letters only: those of our service, Kubernetes and Docker. Any other unknown
 * status is only shown.
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

/** For this long, the status from before the Change may still be reported. */
const OLD_STATUS_MS = 15_000;

/** Judges a workload `sinceMs` after a Change was done. Not for a deletion. Pure. */
export function healthOf(change: Change, read: WorkloadRead, sinceMs: number): HealthNow {
  if (read.job !== undefined) return jobHealth(read.job);
  if (read.service !== undefined) return serviceHealth(change, read.service, sinceMs);
  return { kind: "waiting", line: "not to be found" };
}

/**
 * Follows Kubernetes (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions). A failed
 * run is retried, but counts as trouble.
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
  // A service may fail while it stops, and a restart restarts it.
  if (isOld || op === "stopService" || !isCrash(status, op)) return { kind: "waiting", line: `still ${status}` };
  return { kind: "trouble", line: `its status is ${status}` };
}

/** The statuses that a Change leads to. A stopped service stays stopped through an update. */
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
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
};

/** Milliseconds before each read. At most five calls, with the log. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000];

/** HTTP statuses that another read would get again. */
const HOPELESS: ReadonlySet<number> = new Set([400, 401, 403, 405, 429]);

/**
 * Watches a workload after a Change until it is healthy, fails, or half a minute is over. At most four reads and one
 * page of its log. Never throws a `Problem`. If the signal was aborted, `not-yet` isn't final: another replica may
 * watch it again.
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

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
