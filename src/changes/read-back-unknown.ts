import { Problem } from "../api/problem.ts";
import type { Change, Outcome } from "./change.ts";
import { evidenceOf, type Evidence } from "./evidence.ts";
import { readSnapshot, type ReadDeps } from "./read-workload.ts";
import type { Snapshot } from "./snapshot.ts";

export type ReadBackUnknownDeps = ReadDeps & {
  /** A pause; it may end early when the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>;
  /** From now until the operation's time limit is over, in milliseconds: until then the request may still take effect. */
  readonly notBeforeMs: number;
};

const NEXT = "Gantry does not send it again by itself. Look at the workload, and ask again if it is still wanted.";

/** When it is read, in milliseconds from now; the last read also waits until the time limit is over. Three calls at most. */
const READS_AT_MS = [250, 2_000, 4_000] as const;
/** So much later than the time limit, so that what took effect in the last moment is seen. */
const MARGIN_MS = 500;

type ReadBack = { readonly after: Snapshot; readonly evidence: Evidence };

/**
 * Finds out by reading whether a write took effect whose answer is missing: `done`, `failed` (which takes two equal
 * reads, the last one later than the time limit), or `unknown`. Never sends a write, never throws a `Problem`. When
 * the signal was aborted on the way, `unknown` is no last word: somebody has to look again.
 */
export async function readBackUnknown(change: Change, deps: ReadBackUnknownDeps): Promise<Outcome> {
  const seen: ReadBack[] = [];
  let problem: Problem | undefined;
  let elapsedMs = 0;
  for (const atMs of readTimes(change, deps)) {
    await deps.wait(atMs - elapsedMs);
    // A pause that was cut short proves nothing about what comes later.
    if (deps.signal.aborted) return unknown(seen, "Gantry had to stop before it could tell.");
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

/** Of what leaves no trace one read tells all there is to tell. */
function readTimes({ call }: Change, { notBeforeMs }: ReadBackUnknownDeps): readonly number[] {
  if (call.op === "restartService") return [READS_AT_MS[0]];
  const [first, second, third] = READS_AT_MS;
  return [first, second, notBeforeMs <= 0 ? third : Math.max(third, notBeforeMs + MARGIN_MS)];
}

/** What the reads come to; undefined when another one may tell more. */
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
    why: `It did not take effect: read back ${seen.length} times, ${evidence.still}.`,
    next: "Ask again if it is still wanted.",
  };
}

function unknown(seen: readonly ReadBack[], why: string): Outcome {
  const last = seen.at(-1);
  return { kind: "unknown", after: last === undefined ? "unread" : last.after, why, next: NEXT };
}

function unclearReason(seen: readonly ReadBack[], problem: Problem | undefined): string {
  const last = seen.at(-1)?.evidence;
  if (last === undefined) return `It could not be read back: ${problem?.sentence ?? "there was no answer."}`;
  if (last.kind === "moving") return last.why;
  const still = last.kind === "untouched" ? `, ${last.still}` : "";
  return `Read back${still}; that is too little to say that it did not take effect.`;
}
