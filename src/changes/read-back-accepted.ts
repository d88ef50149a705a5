import { Problem } from "../api/problem.ts";
import type { Change, Outcome } from "./change.ts";
import { readSnapshot, type ReadDeps } from "./read-workload.ts";
import { earlyHealth, type EarlyHealth } from "./health.ts";
import { effectOf, type Effect } from "./effect.ts";
import type { Snapshot } from "./snapshot.ts";

export type ReadBackDeps = ReadDeps & {
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  readonly resourcesKey: "resources" | "resource";
};

/** Milliseconds before each read. At most two reads, so that a write costs at most five calls. */
const READ_BACK_AFTER_MS = [250, 1_750];
/** Most workload APIs show an update at once. */
const UPDATE_READ_BACK_AFTER_MS = [0, 2_000];

type ReadBack = { readonly after: Snapshot; readonly verdict: Exclude<Effect, { kind: "done" }> };

export type AcceptedEnd = EarlyHealth & { readonly outcome: Outcome };

/** Reads an accepted Change back until it took effect, at most twice. Never throws a `Problem`. */
export async function readBackAccepted(change: Change, deps: ReadBackDeps): Promise<AcceptedEnd> {
  const seen: ReadBack[] = [];
  let problem: Problem | undefined;
  for (const delayMs of change.call.op === "updateService" ? UPDATE_READ_BACK_AFTER_MS : READ_BACK_AFTER_MS) {
    if (delayMs > 0) await deps.wait(delayMs);
    const read = await readSnapshot(change.workload, deps);
    if (read instanceof Problem) {
      problem = read;
      continue;
    }
    const { snapshot: after } = read;
    const verdict = effectOf(change, after);
    if (verdict.kind === "done") {
      const outcome = { kind: "done", after, alsoMoved: verdict.alsoMoved } as const; // an Outcome
      return { outcome, ...(await earlyHealth(change, read.read, deps)) };
    }
    seen.push({ after, verdict });
    // A restart is never visible, so a second read wouldn't help.
    if (change.call.op === "restartService") break;
  }
  return { outcome: notConfirmed(change, seen, { problem, ...deps }) };
}

type Rest = Pick<ReadBackDeps, "resourcesKey" | "signal"> & { readonly problem: Problem | undefined };

function notConfirmed(change: Change, seen: readonly ReadBack[], { problem, resourcesKey, signal }: Rest): Outcome {
  const last = seen.at(-1);
  if (last === undefined) {
    const why = problem?.sentence ?? "no answer.";
    return {
      kind: "asked",
      after: change.before,
      why: `The workload API accepted it, but I couldn't check the result: ${why}`,
    };
  }
  const { after, verdict } = last;
  if (verdict.kind !== "nothing") return { kind: "asked", after, why: verdict.why };
  // "Nothing changed" takes two equal reads and full pauses.
  const isSure = seen.length > 1 && seen.every((each) => each.verdict.kind === "nothing") && !signal.aborted;
  const still = verdict.still.join(", ");
  if (!isSure) return { kind: "asked", after, why: `Not visible yet: ${still}.` };
  const why = `The workload API accepted the update, but nothing changed: ${still}.`;
  return { kind: "failed", why, next: nextStepFor(change, resourcesKey) };
}

/** A write is never resent, not even with the other key, so the person is told which setting to change. */
function nextStepFor({ call }: Change, key: ReadBackDeps["resourcesKey"]): string {
  const aboutMemory = call.op === "updateService" && call.body.containers !== undefined;
  const other = key === "resources" ? "resource" : "resources";
  return aboutMemory
    ? `The workload API may expect another field name: ask your Gantry admin to set WORKLOAD_API_RESOURCES_KEY=${other}.`
    : "Try again. If this keeps happening, contact your Gantry admin.";
}
