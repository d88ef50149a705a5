import { Problem } from "../api/problem.ts";
import type { Change, WorkloadRef } from "./change.ts";
import { failingLines, type FailingLinesDeps } from "./failing-lines.ts";
import { healthOf, type HealthNow, type SeenWorkload } from "./health-of.ts";
import type { Health } from "./stored-change.ts";

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
  if (op === "deleteService" || op === "deleteJob") return quiet("unwatched", "");
  const startedMs = deps.nowMs();
  let last = (after: string): string => `not looked at after ${after}; look with show`;
  for (const pauseMs of PAUSES_MS) {
    await deps.wait(pauseMs);
    if (deps.signal.aborted) break;
    const read = await look(change.workload, deps);
    const sinceMs = deps.nowMs() - startedMs;
    if (read instanceof Problem) {
      last = (after) => `could not be read, ${after} after: ${read.sentence}`;
      if (read.status !== undefined && HOPELESS.has(read.status)) break;
      continue;
    }
    const now = healthOf(change, read, sinceMs);
    const line = `${now.line}, ${seconds(sinceMs)} later`;
    if (now.kind === "reached") return quiet("reached", line);
    if (now.kind === "trouble") return trouble(change, { now, line }, deps);
    last = (after) => `${now.line} after ${after}; look with show`;
  }
  return quiet("not-yet", last(seconds(deps.nowMs() - startedMs)));
}

type Trouble = { readonly now: HealthNow; readonly line: string };

async function trouble({ workload }: Change, { now, line }: Trouble, deps: WatchHealthDeps): Promise<Health> {
  return { kind: "trouble", line, excerpt: await failingLines(workload, now.instance, deps) };
}

function quiet(kind: Health["kind"], line: string): Health {
  return { kind, line, excerpt: [] };
}

/** One call. A 404 is an answer: it is not there. */
async function look(
  { kind, region, name }: WorkloadRef,
  { api, signal }: WatchHealthDeps,
): Promise<SeenWorkload | Problem> {
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
