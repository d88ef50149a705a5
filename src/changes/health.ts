import { readWorkload, type WorkloadRead } from "./read-workload.ts";
import type { Change } from "./change.ts";
import { Problem } from "../api/problem.ts";
import { failingLines, type FailingLinesDeps } from "./failing-lines.ts";
import { jobHealth } from "./job-health.ts";
import { serviceHealth, type HealthNow } from "./service-health.ts";
import { isAnother, jobSnapshot } from "./snapshot.ts";
import type { Health } from "./stored-change.ts";

export type WatchHealthDeps = FailingLinesDeps & {
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
};

/** Milliseconds before each read. At most five calls, with the log. */
const PAUSES_MS = [2_000, 5_000, 10_000, 20_000];

/** HTTP statuses that another read would get again. */
const HOPELESS: ReadonlySet<number> = new Set([400, 401, 403, 405, 429]);

function isHopeless({ status }: Problem): boolean {
  return status !== undefined && HOPELESS.has(status);
}

/**
 * Watches a service after a Change until it is healthy, fails, or half a minute is over. At most four reads and one
 * page of its log. Never throws a `Problem`. If the signal was aborted, `not-yet` isn't final: another replica may
 * watch it again.
 */
export async function watchHealth(change: Change, deps: WatchHealthDeps): Promise<Health> {
  const startedMs = deps.nowMs();
  let last: Omit<Health, "kind" | "excerpt"> = { line: "health not checked" };
  for (const pauseMs of PAUSES_MS) {
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
