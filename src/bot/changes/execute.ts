import type { Redacted } from "../../api/redacted.ts";
import type { AskedBy } from "../../api/extension-headers.ts";
import { operationTable } from "../../api/operations.ts";
import { Problem } from "../../api/problem.ts";
import { inSpan } from "../../platform/trail.ts";
import type { Change, Outcome } from "./change.ts";
import { digestOf, driftOf, gotHealthy, unexplainedDrift } from "./drift.ts";
import { footprintNow } from "./footprint.ts";
import { readSnapshot } from "./read-workload.ts";
import { backAtRun } from "./revisions.ts";
import { type AcceptedEnd, type AcceptedReading, readBackAccepted, readBackUnknown } from "./read-back.ts";
import { otherKeyHint } from "./updatable-fields.ts";
import type { Drift } from "./stored-change.ts";

/** The caller does the SQL. The signal is aborted when the bot stops. */
export type Execution = AcceptedReading & {
  /** The workload was read seconds ago and needn't be read again before sending. */
  readonly isFresh: boolean;
  readonly resourcesKey: "resources" | "resource";
  readonly asked: AskedBy;
  /** From the time of the request: see `digestOf`. */
  readonly digest: string;
  /** Asks policy about the workload as it was just read. Undefined: the Change may be sent. */
  readonly refusalNow: (now: Change) => Promise<Extract<Executed, { kind: "refused" | "lost" }> | undefined>;
  /**
   * Records the Run before the request leaves, with what was found right before. Unless it returns `claimed`, nothing is
   * sent.
   */
  readonly claim: (found: Change) => Promise<"claimed" | "busy" | "lost">;
  /** Called right before the request leaves; false holds it back. Must not throw. */
  readonly mayLeave: () => boolean;
  /** Records the unknown outcome before the workload is read back. */
  readonly doubt: (outcome: Outcome) => Promise<void>;
};

/**
 * - `ended`: it was claimed and has an outcome, and its health if that needs no watching
 * - `refused`: not claimed, because the workload couldn't be read, or policy refuses the Change by what was read
 * - `drifted`: not claimed, because something it depends on has changed
 * - `busy`: another Run of the same workload is in progress; nothing was sent
 * - `lost`: another replica has it, the bot is stopping, or policy wants more approvals. The next one continues from the
 *   recorded state (approved, unknown or pending)
 */
export type Executed =
  | ({ readonly kind: "ended" } & AcceptedEnd)
  | { readonly kind: "refused"; readonly outcome: Outcome }
  | { readonly kind: "drifted"; readonly drift: readonly Drift[] }
  | { readonly kind: "busy" }
  | { readonly kind: "lost" };

/**
 * Sends a Change at most once, ever: unless it is fresh, reads the workload again, compares it and asks policy about it;
 * claims the Run, sends one request, and reads the workload back. The API has no conditional write, so a change between that read and the
 * write goes unnoticed. A Change without a diff isn't sent. Never throws a `Problem`; errors of `claim` and `doubt`
 * propagate.
 */
export async function executeChange(change: Change, deps: Execution): Promise<Executed> {
  if (change.diff.length === 0) return ended({ kind: "done", after: change.before, alsoMoved: [] });
  const checked = deps.isFresh ? change : await readAgain(change, deps);
  if ("kind" in checked) return checked;
  if (deps.signal.aborted) return { kind: "lost" };
  const claim = await deps.claim(checked);
  return claim === "claimed" ? sendOnce(checked, deps) : { kind: claim };
}

/** The Change with the workload as it is now, or why it must not be sent. */
async function readAgain(change: Change, deps: Execution): Promise<Change | Executed> {
  const read = await readSnapshot(change.workload, deps);
  if (read instanceof Problem) return unread(read, deps);
  // Fields that it doesn't depend on may have changed. That must not be attributed to this Run, nor taken back with it.
  const { service } = read.read;
  const backTo = service === undefined ? change.backTo : backAtRun(change, service);
  const now = { ...change, before: read.snapshot, backTo };
  if (digestOf(now) !== deps.digest) {
    const drift = driftOf(change, read.snapshot);
    return { kind: "drifted", drift: drift.length > 0 ? drift : [unexplainedDrift] };
  }
  if (change.isWayBack === true && read.snapshot?.isReady === true) {
    return { kind: "drifted", drift: [gotHealthy(read.snapshot.revision)] };
  }
  const footprint = await footprintNow(now, deps);
  if (footprint instanceof Problem) return unread(footprint, deps);
  return (await deps.refusalNow({ ...now, footprint })) ?? now;
}

function unread(problem: Problem, { signal }: Execution): Executed {
  if (signal.aborted) return { kind: "lost" };
  const why = `Couldn't check the workload before the change: ${problem.sentence}`;
  return { kind: "refused", outcome: { kind: "failed", why, next: problem.next } };
}

async function sendOnce(change: Change, deps: Execution): Promise<Executed> {
  const { api, asked, signal, mayLeave } = deps;
  let warnings: readonly Redacted[] = [];
  try {
    await api.send(change.call, { signal, mayLeave, asked, onWarnings: (received) => (warnings = received) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.maybeSent) return resolveUnknown(change, error, deps);
    // An API that knows the other field name only may reject the request instead of ignoring the unknown field.
    const isRejected = error.status === 400 || error.status === 422;
    const hint = isRejected ? otherKeyHint(change, deps.resourcesKey) : undefined;
    const next = hint === undefined ? error.next : `${error.next} ${hint}`;
    return ended({ kind: "failed", why: error.sentence, next });
  }
  const end = await inSpan("read back", () => readBackAccepted(change, deps));
  return { kind: "ended", ...end, outcome: keeping(end.outcome, { warnings, over: replacedBy(change) }) };
}

type Accepted = Pick<Extract<Outcome, { readonly kind: "done" }>, "warnings" | "over">;

/** An accepted request keeps this when it is confirmed later. */
export function keeping(outcome: Outcome, { warnings = [], over }: Accepted): Outcome {
  if (outcome.kind !== "done" && outcome.kind !== "asked") return outcome;
  return { ...outcome, ...(warnings.length > 0 && { warnings }), ...(over !== undefined && { over }) };
}

/** The revision that a Change found; undefined where the workload API reports none. */
export function replacedBy({ before }: Change): Accepted["over"] {
  return before?.revision === undefined ? undefined : { revision: before.revision, isReady: before.isReady === true };
}

async function resolveUnknown(change: Change, problem: Problem, deps: Execution): Promise<Executed> {
  const next = "I'm checking whether it took effect. I won't send it again.";
  await deps.doubt({ kind: "unknown", after: "unread", why: problem.sentence, next });
  if (deps.signal.aborted) return { kind: "lost" };
  // The service may still apply it within the operation's time limit. Counting from now waits longer, never shorter.
  const notBeforeMs = operationTable[change.call.op].timeoutMs;
  const outcome = await inSpan("read back", () => readBackUnknown(change, { ...deps, notBeforeMs }));
  if (outcome.kind !== "unknown" && outcome.kind !== "failed") {
    return ended(keeping(outcome, { over: replacedBy(change) }));
  }
  if (outcome.kind === "unknown" && deps.signal.aborted) return { kind: "lost" };
  return ended({ ...outcome, why: `${problem.sentence} ${outcome.why}` });
}

function ended(outcome: Outcome): Executed {
  return { kind: "ended", outcome };
}
