import { Problem } from "../../api/problem.ts";
import type { Change, Outcome } from "./change.ts";
import { readSnapshot, type ReadDeps } from "./read-workload.ts";
import { healthAtOnce } from "./health.ts";
import { effectOf } from "./effect.ts";
import { unconfirmedText } from "./history-event.ts";
import { nextLookMs } from "./service-watch.ts";
import type { Health } from "./stored-change.ts";

export type ReadBackDeps = ReadDeps & {
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** See `Looking`. */
  readonly healthyAfterMs: number;
};

/** Milliseconds before each read. At most two reads, so that a write costs at most five calls. */
const READ_BACK_AFTER_MS = [250, 1_750];
/** Most workload APIs show an update at once. */
const UPDATE_READ_BACK_AFTER_MS = [0, 2_000];

export type AcceptedEnd = {
  readonly outcome: Outcome;
  /** What the read-back shows of its health, and when to look next; at once without it. */
  readonly progress?: Health | undefined;
  readonly nextMs?: number | undefined;
};

/**
 * Reads an accepted Change back until it took effect, at most twice. Until then it is `asked`, whatever is seen: some
 * workload APIs show a change only after a while, so it is followed. Never throws a `Problem`.
 */
export async function readBackAccepted(change: Change, deps: ReadBackDeps): Promise<AcceptedEnd> {
  let last: Outcome | undefined;
  let problem: Problem | undefined;
  for (const delayMs of change.call.op === "updateService" ? UPDATE_READ_BACK_AFTER_MS : READ_BACK_AFTER_MS) {
    if (delayMs > 0) await deps.wait(delayMs);
    const read = await readSnapshot(change.workload, deps);
    if (read instanceof Problem) {
      problem = read;
      continue;
    }
    const { snapshot: after } = read;
    const effect = effectOf(change, after);
    if (effect.kind === "done") {
      const looking = {
        change,
        progress: undefined,
        nowMs: deps.nowMs(),
        ageMs: 0,
        healthyAfterMs: deps.healthyAfterMs,
      };
      const progress = healthAtOnce(looking, read.read);
      const outcome = { kind: "done", after, alsoMoved: effect.alsoMoved } as const; // an Outcome
      return { outcome, progress, nextMs: progress && nextLookMs(progress, looking) };
    }
    if (effect.kind === "unseen") {
      // A second read wouldn't show it either.
      return { outcome: { kind: "asked", after, why: unconfirmedText(effect.what), unseen: effect.what } };
    }
    const why = effect.kind === "nothing" ? `Not visible yet: ${effect.still.join(", ")}.` : effect.why;
    last = { kind: "asked", after, why };
  }
  const why = `The workload API accepted it, but I couldn't check the result: ${problem?.sentence ?? "no answer."}`;
  return { outcome: last ?? { kind: "asked", after: change.before, why } };
}
