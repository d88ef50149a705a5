import { type ReadDeps, readWorkload, type WorkloadRead } from "./read-workload.ts";
import type { Change } from "./change.ts";
import { Problem } from "../api/problem.ts";
import { failingLines, type FailingLinesDeps } from "./failing-lines.ts";
import { jobHealth } from "./job-health.ts";
import { serviceHealth, type HealthNow } from "./service-health.ts";
import { isAnother, jobSnapshot } from "./snapshot.ts";
import type { Health } from "./stored-change.ts";

type LookDeps = ReadDeps & {
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
};

export type WatchHealthDeps = FailingLinesDeps & LookDeps;

/** Milliseconds before each read. At most five calls, with the log. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000];
/** Before the look that confirms a status. */
const SOON_MS = 250;

/** HTTP statuses that another read would get again. */
const HOPELESS: ReadonlySet<number> = new Set([400, 401, 403, 405, 429]);

function isHopeless({ status }: Problem): boolean {
  return status !== undefined && HOPELESS.has(status);
}

/**
 * - `Health`: it runs as requested, by the API's own count of instances
 * - `soon`: it looks well, by a status that may be from before the Change
 * - `later`: it needs time
 */
export type HealthAtOnce = Health | "soon" | "later";

/** The health of a service in the read that shows a Change. Only of a scaling: its instances just go on running. Pure. */
export function healthAtOnce(change: Change, { service }: WorkloadRead): HealthAtOnce {
  if (service === undefined || !isScaling(change)) return "later";
  const { kind, level, line } = serviceHealth(change, service, 0);
  if (kind !== "reached" || level !== "healthy") return "later";
  if (service.ready_instances === undefined) return "soon";
  return service.ready_instances === service.target_instance_size ? { kind, level, line, excerpt: [] } : "later";
}

/** What is known of the health before it is watched. */
export type EarlyHealth = {
  readonly health?: Health | undefined;
  /** It looked well when it was read back, and was looked at once more. */
  readonly wasLookedAt?: boolean;
};

/** The health in the read that shows a Change, after one more look where it may be from before. Never throws a `Problem`. */
export async function earlyHealth(change: Change, read: WorkloadRead, deps: LookDeps): Promise<EarlyHealth> {
  const health = healthAtOnce(change, read);
  if (health === "later") return {};
  if (health !== "soon") return { health };
  await deps.wait(SOON_MS);
  const again = deps.signal.aborted ? undefined : await readWorkload(change.workload, deps);
  if (again === undefined || again instanceof Problem) return { wasLookedAt: true };
  const { kind, level, line } = healthOf(change, again, SOON_MS);
  return { wasLookedAt: true, ...(kind === "reached" && { health: { kind, level, line, excerpt: [] } }) };
}

/** To at least one instance, with nothing that restarts them. */
function isScaling({ call }: Change): boolean {
  if (call.op !== "updateService") return false;
  const { target_instance_size: size = 0, ...others } = call.body;
  return size > 0 && Object.keys(others).length === 0;
}

/**
 * Watches a service after a Change until it is healthy, fails, or half a minute is over. At most four reads and one
 * page of its log, with the look that `wasLookedAt` tells of. Never throws a `Problem`. If the signal was aborted,
 * `not-yet` isn't final: another replica may watch it again.
 */
export async function watchHealth(change: Change, deps: WatchHealthDeps, wasLookedAt = false): Promise<Health> {
  const startedMs = deps.nowMs();
  let last: Omit<Health, "kind" | "excerpt"> = { line: "health not checked" };
  for (const pauseMs of wasLookedAt ? PAUSES_MS.slice(1) : PAUSES_MS) {
    await deps.wait(pauseMs);
    if (deps.signal.aborted) break;
    const read = await readWorkload(change.workload, deps);
    const afterMs = deps.nowMs() - startedMs;
    if (read instanceof Problem) {
      last = { line: `couldn't check it: ${read.sentence}` };
      if (isHopeless(read)) break;
      continue;
    }
    const { kind, ...now } = healthOf(change, read, afterMs);
    const seen = { level: now.level, outcome: now.outcome, line: now.line, afterMs };
    if (kind === "reached") return { kind, ...seen, excerpt: [] };
    if (kind === "trouble") return { kind, ...seen, excerpt: await failingLines(change.workload, now.instance, deps) };
    last = seen;
  }
  return { kind: "not-yet", ...last, excerpt: [] };
}

/** Judges a service `sinceMs` after a Change was done. Not for a deletion. Pure. */
export function healthOf(change: Change, { service }: WorkloadRead, sinceMs: number): HealthNow {
  if (service !== undefined) return serviceHealth(change, service, sinceMs);
  return { kind: "waiting", level: "busy", outcome: "isn't visible yet", line: "the workload API doesn't list it" };
}

/** Until then, a new job may not be listed yet. */
const UNLISTED_MS = 15_000;

export type JobLook = {
  /** How it was when it was created, to tell it from a later one of its name. */
  readonly uid: string | undefined;
  /** Milliseconds since it was created. */
  readonly ageMs: number;
};

/**
 * One look at a job that was created: `watching` until it has ended. One call, and one page of its log if it failed.
 * Never throws a `Problem`.
 */
export async function lookAtJob({ workload }: Change, look: JobLook, deps: FailingLinesDeps): Promise<Health> {
  const read = await readWorkload(workload, deps);
  if (read instanceof Problem) {
    const kind = isHopeless(read) ? "not-yet" : "watching";
    const outcome = kind === "watching" ? "is running" : "was created, outcome unknown";
    return { kind, level: "busy", outcome, line: `couldn't check it: ${read.sentence}`, excerpt: [] };
  }
  const { job } = read;
  if (job === undefined) return missingJob(look);
  if (isAnother(look.uid, jobSnapshot(job).uid)) return ended("was replaced by another job of this name");
  const { kind, instance, ranMs, ...now } = jobHealth(job);
  if (kind === "waiting") return { kind: "watching", ...now, excerpt: [] };
  const excerpt = kind === "trouble" ? await failingLines(workload, instance, deps) : [];
  return { kind, ...now, ...(ranMs !== undefined && { afterMs: ranMs }), excerpt };
}

function missingJob({ ageMs }: JobLook): Health {
  if (ageMs >= UNLISTED_MS) return ended("was deleted before it ended");
  return { kind: "watching", level: "busy", outcome: "is starting", line: "", excerpt: [] };
}

function ended(outcome: string): Health {
  return { kind: "not-yet", level: "busy", outcome, line: "", excerpt: [] };
}
