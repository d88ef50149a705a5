import { newReference } from "../../../platform/log.ts";
import { operationTable } from "../../../api/operations.ts";
import { stopwatch } from "../../../platform/clock.ts";
import { inSpan } from "../../../platform/trail.ts";
import type { Change, Outcome } from "../../changes/change.ts";
import { executeChange, type Executed, keeping, replacedBy } from "../../changes/execute.ts";
import { footprintOf } from "../../changes/footprint.ts";
import { unwatched } from "../../changes/health.ts";
import { type AcceptedEnd, readBackUnknown } from "../../changes/read-back.ts";
import { isPartId, requestIdOf, type StoredChange } from "../../changes/stored-change.ts";
import { UserError } from "../../errors.ts";
import { isFollowed } from "../../views/kit/health.ts";
import type { TakenPost } from "../posts.ts";
import type { Due } from "../due-kinds.ts";
import type { Clearance } from "../access/clear-to-run.ts";
import { advance } from "../history.ts";
import { endOf, type Found, type Next, step } from "../lifecycle.ts";
import type { WorkflowParts } from "../ports.ts";
import { apiFor, openRequest, type OpenRequest } from "../open-request.ts";
import { changeIn, contentOf, sealContent } from "../stored-request.ts";
import { withFailureLine } from "../../commands/verbs/deploy/versions.ts";

/** Before Slack is asked again who the people of an approved Change are. */
export const AWAY_REST_MS = 10_000;

/** Time between two attempts to claim a busy workload. The end of its Run usually makes this one due earlier. */
export const BUSY_REST_MS = 3_000;

/** The lease of a Change, for one attempt to carry it on. */
export type Lease = {
  readonly due: Due;
  /** This attempt can't go on: another one begins in so many milliseconds. */
  readonly retryIn: (ms: number) => void;
};

type Sending = {
  readonly change: StoredChange;
  readonly lease: Lease;
  readonly opened: OpenRequest;
  /** The workload was just read. */
  readonly isFresh: boolean;
  /** Asks policy about the Change with the workload as it is now. */
  readonly clear: (now: Change) => Promise<Clearance>;
  /** It is stored as claimed, and leaves now. */
  readonly onClaimed?: (() => void) | undefined;
};

export type Done = {
  readonly change: StoredChange;
  /** What became of the lease. */
  readonly next: Next;
  /** Its card, which this replica posts. */
  readonly card?: TakenPost | undefined;
};

/** Sends an approved Change and records its end, with what the read-back shows of its health. The Change if it is done. */
export async function sendChange(
  deps: WorkflowParts,
  { change, lease, opened, isFresh, clear, onClaimed }: Sending,
  signal: AbortSignal,
): Promise<Done | undefined> {
  const proposed = changeIn(opened.content);
  const executed = await executeChange(proposed, {
    ...apiFor(deps, opened, signal),
    ...guard(deps, { change, lease, opened, isFresh, onClaimed }, signal),
    isFresh,
    digest: change.digest,
    refusalNow: (now) => refusalNow({ lease, clear }, { proposed, now }),
    resourcesKey: deps.settings.resourcesKey,
    asked: { person: change.requester.userId, request: requestIdOf(change.id) },
    clock: deps.clock,
    healthyAfterMs: deps.settings.healthyAfterMs,
    doubt: (outcome) => doubt(deps, { change, lease }, outcome),
  });
  return record(deps, { change, lease }, executed);
}

type Carried = { readonly change: StoredChange; readonly lease: Lease };

/** Policy was asked a moment ago about what the request found, and is asked again where something else is there now. */
async function refusalNow(
  { lease, clear }: Pick<Sending, "lease" | "clear">,
  { proposed, now }: { readonly proposed: Change; readonly now: Change },
) {
  if (JSON.stringify(footprintOf(now)) === JSON.stringify(footprintOf(proposed))) return undefined;
  const cleared = await clear(now);
  if (cleared.kind === "run") return undefined;
  if (cleared.kind === "refused") return cleared;
  if (cleared.kind === "unchecked") lease.retryIn(AWAY_REST_MS);
  return { kind: "lost" } as const; // a literal kind
}

/** Claims the Change and checks the clocks right before sending: a process that was suspended must not send. */
function guard(
  deps: WorkflowParts,
  { change, lease: { due }, opened, isFresh, onClaimed }: Omit<Sending, "clear">,
  signal: AbortSignal,
) {
  let sinceClaimMs = (): number => Number.POSITIVE_INFINITY;
  return {
    async claim(asIs: Change) {
      const sinceMs = stopwatch(deps.clock);
      const found = isFresh ? undefined : foundContent(deps, { change, opened }, asIs);
      const claim = { ...step("claim", { due, found }), result: "sent to the workload API" };
      const { kind } = await advance(deps, change, claim);
      if (kind === "busy") return "busy";
      if (kind !== "moved") return "lost";
      sinceClaimMs = sinceMs;
      onClaimed?.();
      return "claimed";
    },
    mayLeave: () => !signal.aborted && sinceClaimMs() < deps.store.sendWithinMs,
  } as const; // the kinds of a claim
}

/** The content with the workload as this Run found it: a later undo compares with that, not with the state at the request. */
function foundContent(
  { sealer }: WorkflowParts,
  { change, opened }: Pick<Sending, "change" | "opened">,
  found: Change,
): Found {
  const diff = withFailureLine(change.diff, found);
  return { sealed: sealContent(sealer, change.id, { ...opened.content, change: { ...found, diff } }), diff };
}

/** Shows at once that the answer is missing, since somebody waits, while the workload is being read back. */
async function doubt(deps: WorkflowParts, { change, lease: { due } }: Carried, outcome: Outcome): Promise<void> {
  const result = wordsOf(outcome);
  const reference = newReference();
  await advance(deps, change, { ...step("doubt", { due, outcome }), result, reference });
}

async function record(deps: WorkflowParts, carried: Carried, executed: Executed): Promise<Done | undefined> {
  const { change, lease } = carried;
  switch (executed.kind) {
    case "busy":
      lease.retryIn(BUSY_REST_MS);
      return undefined;
    case "lost":
      // Another replica has it, and records how it ended.
      return undefined;
    case "drifted": {
      const { drift } = executed;
      const result = drift.map(({ field, then, now }) => `${field}: ${then} when requested → ${now} now`).join("; ");
      await advance(deps, change, { ...step("drift", { due: lease.due, drift }), result });
      return undefined;
    }
    case "refused":
      await refuse(deps, carried, executed.outcome);
      return undefined;
    case "ended":
      return settle(deps, carried, executed);
  }
}

export async function refuse(
  deps: WorkflowParts,
  { change, lease: { due } }: Carried,
  outcome: Outcome,
): Promise<void> {
  const words = { result: wordsOf(outcome), reference: newReference() };
  await advance(deps, change, { ...step("refuse", { due, outcome }), ...words });
}

/**
 * Its card is posted when it has ended. Where one stands with buttons, the right to draw isn't taken ahead: if this replica
 * were killed now, they would stay until that right is over. A part and an automatic way back have no card of their own.
 */
function isFirstDrawn({ id, terms, wayBackOf }: StoredChange): boolean {
  return terms === undefined && wayBackOf === undefined && !isPartId(id);
}

/** Longer than one call to Slack takes; after a kill, another replica posts it within half a minute. */
const FIRST_CARD_MS = 25_000;

/** The Change if it is done. */
async function settle(
  deps: WorkflowParts,
  { change, lease: { due } }: Carried,
  { outcome, progress, nextMs }: AcceptedEnd,
): Promise<Done | undefined> {
  const name = endOf[outcome.kind];
  const isDone = name === "succeed";
  const reference = isDone ? {} : { reference: newReference() };
  const isOver = !(isDone && isFollowed({ op: change.op, ending: { kind: "run", outcome } }));
  const next = isOver ? "over" : nextMs === undefined ? "kept" : { ms: nextMs };
  const settled = await advance(deps, change, {
    ...step(name, {
      due,
      next,
      outcome,
      progress,
      health: isOver && isDone ? unwatched : undefined,
      drawsForMs: isFirstDrawn(change) ? FIRST_CARD_MS : undefined,
    }),
    result: wordsOf(outcome),
    ...reference,
  });
  return settled.kind === "moved" && isDone ? { ...settled, next } : undefined;
}

/** A Change that a replica sent before it was gone: read back, never sent again. */
export async function readBack(deps: WorkflowParts, carried: Carried, signal: AbortSignal): Promise<Done | undefined> {
  const { change } = carried;
  let opened: OpenRequest;
  try {
    opened = await openRequest(deps, change);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return settle(deps, carried, { outcome: unreadable(deps, change) });
  }
  // From now, whenever it was claimed: that was by the database's clock, which is not ours. Longer than needed, never shorter.
  const notBeforeMs = deps.store.sendWithinMs + operationTable[change.op].timeoutMs;
  const reading = { ...apiFor(deps, opened, signal), notBeforeMs };
  const sent = changeIn(opened.content);
  const read = await inSpan("read back", () => readBackUnknown(sent, reading));
  const outcome = keeping(read, { over: replacedBy(sent) });
  return signal.aborted ? undefined : settle(deps, carried, { outcome });
}

function unreadable({ sealer }: WorkflowParts, change: StoredChange): Outcome {
  const gone = contentOf(sealer, change) === undefined ? "the stored request" : "the account it used";
  const why = `It may have been sent, but I can't check: ${gone} can't be opened any more.`;
  return { kind: "unknown", after: "unread", why, next: "Check the workload before you try again." };
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === "done" ? "took effect" : outcome.why;
}
