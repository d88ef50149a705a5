import type { Clock } from "../../platform/clock.ts";
import { Problem } from "../../api/problem.ts";
import type { Change, Outcome } from "./change.ts";
import { readSnapshot, type Reading } from "./read-workload.ts";
import { healthAtOnce } from "./health.ts";
import { effectOf, evidenceOf, type Evidence } from "./effect.ts";
import { unconfirmedText } from "./history-event.ts";
import { nextPollMs } from "./service-poll.ts";
import type { Health } from "./stored-change.ts";
import type { Snapshot } from "./updatable-fields.ts";

export type PatientReading = Reading & {
  /** May end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
};

export type AcceptedReading = PatientReading & {
  readonly clock: Pick<Clock, "now">;
  /** See `PollContext`. */
  readonly healthyAfterMs: number;
};

/** Milliseconds before each read. At most two reads, so that a write costs at most five calls. */
const READ_BACK_AFTER_MS = [250, 1_750];
/** Most workload APIs show an update at once. */
const UPDATE_READ_BACK_AFTER_MS = [0, 2_000];

export type AcceptedEnd = {
  readonly outcome: Outcome;
  /** Health as the read-back shows it, and the time until the next poll: at once if it shows none. */
  readonly progress?: Health | undefined;
  readonly nextMs?: number | undefined;
};

/**
 * Reads an accepted Change back until it took effect, at most twice. Until then it is `asked`, whatever is seen: some
 * workload APIs show a change only after a while, so it is followed. Never throws a `Problem`.
 */
export async function readBackAccepted(change: Change, deps: AcceptedReading): Promise<AcceptedEnd> {
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
      const context = {
        change,
        progress: undefined,
        nowMs: deps.clock.now().getTime(),
        ageMs: 0,
        calls: 0 as const, // not any number
        healthyAfterMs: deps.healthyAfterMs,
      };
      const progress = healthAtOnce(context, read.read);
      const outcome = { kind: "done", after, alsoMoved: effect.alsoMoved } as const; // an Outcome
      return { outcome, progress, nextMs: progress && nextPollMs(progress, context) };
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

export type UnknownReading = PatientReading & {
  /** Milliseconds until the operation's time limit is over: until then the request may still take effect. */
  readonly notBeforeMs: number;
};

const NEXT = "I won't send it again. Check the workload before you try again.";

/** Milliseconds from now. The last read also waits for the time limit. At most three calls. */
const READS_AT_MS = [250, 2_000, 4_000] as const;
/** Added to the time limit, for a write that took effect at the last moment. */
const MARGIN_MS = 500;

type ReadBack = { readonly after: Snapshot; readonly evidence: Evidence };

/**
 * Reads whether a write without an answer took effect: `done`, `failed` (two equal reads, the last one after the time
 * limit) or `unknown`. Sends no write, never throws a `Problem`. If the signal was aborted, `unknown` isn't final: the
 * workload has to be read back again.
 */
export async function readBackUnknown(change: Change, deps: UnknownReading): Promise<Outcome> {
  const seen: ReadBack[] = [];
  let problem: Problem | undefined;
  let elapsedMs = 0;
  const [first, second, third] = READS_AT_MS;
  const lastMs = deps.notBeforeMs <= 0 ? third : Math.max(third, deps.notBeforeMs + MARGIN_MS);
  // A restart is never visible, so one read is enough.
  for (const atMs of change.call.op === "restartService" ? [first] : [first, second, lastMs]) {
    await deps.wait(atMs - elapsedMs);
    // After a shortened pause, a read proves nothing.
    if (deps.signal.aborted) return unknown(seen, "Gantry stopped before it could check.");
    elapsedMs = atMs;
    const read = await readSnapshot(change.workload, deps);
    if (read instanceof Problem) {
      problem = read;
      continue;
    }
    seen.push({ after: read.snapshot, evidence: evidenceOf(change, read.snapshot) });
    const outcome = outcomeOf(seen, elapsedMs >= deps.notBeforeMs);
    if (outcome !== undefined) return outcome;
  }
  return unknown(seen, unclearReason(seen, problem));
}

/** The outcome of the reads so far; undefined when another read may help. */
function outcomeOf(seen: readonly ReadBack[], isOver: boolean): Outcome | undefined {
  const last = seen.at(-1);
  if (last === undefined) return undefined;
  const { after, evidence } = last;
  if (evidence.kind === "took-effect") return { kind: "done", after, alsoMoved: evidence.alsoMoved };
  if (evidence.kind === "cannot-tell") return unknown(seen, evidence.why);
  if (evidence.kind !== "untouched" || !isOver || seen.length < 2) return undefined;
  if (seen.some((each) => each.evidence.kind !== "untouched")) return undefined;
  return {
    kind: "failed",
    why: `It didn't take effect: after ${seen.length} checks, ${evidence.still}.`,
    next: "Try again if you still need it.",
  };
}

function unknown(seen: readonly ReadBack[], why: string): Outcome {
  const last = seen.at(-1);
  return { kind: "unknown", after: last === undefined ? "unread" : last.after, why, next: NEXT };
}

function unclearReason(seen: readonly ReadBack[], problem: Problem | undefined): string {
  const last = seen.at(-1)?.evidence;
  if (last === undefined) return `I couldn't check the workload: ${problem?.sentence ?? "no answer."}`;
  if (last.kind === "moving") return last.why;
  const still = last.kind === "untouched" ? `, ${last.still}` : "";
  return `I checked${still}, but it may still take effect.`;
}
