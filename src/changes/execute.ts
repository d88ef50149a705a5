import { operationTable } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import type { Change, Outcome } from "./change.ts";
import { digestOf, driftOf, unexplainedDrift } from "./drift.ts";
import { readSnapshot, type ReadDeps } from "./read-workload.ts";
import { readBackAccepted, type ReadBackDeps } from "./read-back-accepted.ts";
import { readBackUnknown } from "./read-back-unknown.ts";
import type { Drift } from "./stored-change.ts";

/**
 * What the execution of a Change is given; it knows no SQL and no Slack. The signal is aborted when the bot stops.
 */
export type ExecuteDeps = ReadDeps &
  ReadBackDeps & {
    /** Whether the Change was read seconds ago, so that it need not be read again before it is sent. */
    readonly isFresh: boolean;
    /** Of what the Change depends on, as it was when it was asked for: see `digestOf`. */
    readonly digest: string;
    /** Records, before the request leaves, that it will be sent; anything but `claimed`, and nothing is sent. */
    readonly claim: () => Promise<"claimed" | "busy" | "lost">;
    /** Called in the moment in which the request would leave; false: it does not. Must not throw. */
    readonly mayLeave: () => boolean;
    /** Records that the answer is missing, before the workload is read back. */
    readonly doubt: (outcome: Outcome) => Promise<void>;
  };

/**
 * - `ended`: it was claimed, and this is how it ended
 * - `refused`: it was not claimed, because the workload could not be read
 * - `drifted`: it was not claimed, because something it depends on has moved
 * - `busy`: another Run of the same workload is under way; nothing was sent
 * - `lost`: not ours to go on with. Somebody else has it, or the bot stops: it stands as it is recorded (approved, or
 *   in doubt), and whoever takes it next goes on from there
 */
export type Executed =
  | { readonly kind: "ended"; readonly outcome: Outcome }
  | { readonly kind: "refused"; readonly outcome: Outcome }
  | { readonly kind: "drifted"; readonly drift: readonly Drift[] }
  | { readonly kind: "busy" }
  | { readonly kind: "lost" };

/**
 * Sends a Change at most once, for ever: unless it is fresh it is read again and compared, then it is claimed, sent a
 * single time, and read back. The API has no conditional write: what moves between that read and the write is not seen.
 * A Change without a diff is already so: nothing is read, claimed or sent. Never throws a `Problem`; what `claim` and
 * `doubt` throw is thrown on.
 */
export async function executeChange(change: Change, deps: ExecuteDeps): Promise<Executed> {
  if (change.diff.length === 0) return ended({ kind: "done", after: change.before, alsoMoved: [] });
  const checked = deps.isFresh ? change : await readAgain(change, deps);
  if ("kind" in checked) return checked;
  if (deps.signal.aborted) return { kind: "lost" };
  const claim = await deps.claim();
  return claim === "claimed" ? send(checked, deps) : { kind: claim };
}

/** The Change with what is read of the workload now, or why it must not be sent. */
async function readAgain(change: Change, deps: ExecuteDeps): Promise<Change | Executed> {
  const read = await readSnapshot(change.workload, deps);
  if (read instanceof Problem) {
    if (deps.signal.aborted) return { kind: "lost" };
    const why = `Before it was sent, the workload could not be read: ${read.sentence}`;
    return { kind: "refused", outcome: { kind: "failed", why, next: read.next } };
  }
  // What it does not depend on may have moved; that must not count as moved by this Run.
  const now = { ...change, before: read.snapshot };
  if (digestOf(now) === deps.digest) return now;
  const drift = driftOf(change, read.snapshot);
  return { kind: "drifted", drift: drift.length > 0 ? drift : [unexplainedDrift] };
}

async function send(change: Change, deps: ExecuteDeps): Promise<Executed> {
  const { api, signal, mayLeave } = deps;
  try {
    await api.send(change.call, { signal, mayLeave });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.maybeSent) return resolveUnknown(change, error, deps);
    return ended({ kind: "failed", why: error.sentence, next: error.next });
  }
  return ended(await readBackAccepted(change, deps));
}

async function resolveUnknown(change: Change, problem: Problem, deps: ExecuteDeps): Promise<Executed> {
  const next = "Gantry does not send it again by itself; it is reading the workload back.";
  await deps.doubt({ kind: "unknown", after: "unread", why: problem.sentence, next });
  if (deps.signal.aborted) return { kind: "lost" };
  // The service may work on it for as long as it may take to answer, counted from now: longer than needed, never shorter.
  const notBeforeMs = operationTable[change.call.op].timeoutMs;
  const outcome = await readBackUnknown(change, { ...deps, notBeforeMs });
  if (outcome.kind !== "unknown" && outcome.kind !== "failed") return ended(outcome);
  if (outcome.kind === "unknown" && deps.signal.aborted) return { kind: "lost" };
  return ended({ ...outcome, why: `${problem.sentence} ${outcome.why}` });
}

function ended(outcome: Outcome): Executed {
  return { kind: "ended", outcome };
}
