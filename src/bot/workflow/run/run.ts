import { requestIdOf, type StoredChange } from "../../changes/stored-change.ts";
import { stopwatch } from "../../../platform/clock.ts";
import { resumed, inSpan } from "../../../platform/trail.ts";
import { type Clearance, clearToRun } from "../access/clear-to-run.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { follow } from "./follow.ts";
import { advance } from "../history.ts";
import { unwatched } from "../../changes/health.ts";
import type { ReadInList } from "../../changes/read-workload.ts";
import { isRolledOut } from "../../views/kit/verb-words.ts";
import { isAchieved } from "../../views/cards/several-card.ts";
import { stageOf, step, endOf } from "../lifecycle.ts";
import { AWAY_REST_MS, BUSY_REST_MS, type Done, type Lease, readBack, refuse, sendChange } from "./send.ts";
import { WORKING_AFTER_MS } from "../reply.ts";
import type { OpenRequest } from "../open-request.ts";
import { contentOf } from "../stored-request.ts";
import type { Inserted } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import type { OutsideLane } from "../inbox/scheduler.ts";
import type { Change, Outcome } from "../../changes/change.ts";
import { StoreError } from "../../errors.ts";
import { counted } from "../../views/kit/text.ts";

export type Stored = {
  readonly change: StoredChange;
  /** Undefined: another replica has the lease, and carries it on. */
  readonly due: Due | undefined;
  /** It was requested a moment ago: the workload was just read, and policy just allowed it. */
  readonly fresh?: OpenRequest;
  /** It was approved a moment ago, and the current policy was asked. */
  readonly clearance?: Clearance;
};

/** For the person whose interaction led to the Run. */
export type RunEvents = {
  readonly onFailed: (error: unknown) => Promise<void>;
  readonly onEnded: () => void;
  /** It is stored as claimed, and its request leaves now. */
  readonly onClaimed?: () => void;
  /** It runs, or ended before it could: see its stored state. The card is drawn afterwards. Never rejects. */
  readonly onBegun?: () => Promise<void>;
};

/** When a Change has waited longer than this for its turn, the workload is read and the policy asked again. */
const FRESH_FOR_MS = 10_000;

/** An approved Change that waits to start for this long expires. */
const APPROVED_FOR_MS = 10 * 60_000;

/**
 * Carries a Change on in another lane, so that no command waits for the workload API. If the lane is full or this process dies,
 * another attempt begins once the lease is over. So a delivery may be finished once its Change is stored.
 */
export function carryOnLater(deps: WorkflowParts, stored: Stored, events?: RunEvents): void {
  const { change, due } = stored;
  if (due === undefined) {
    return events?.onEnded();
  }
  const sinceMs = stopwatch(deps.clock);
  const attempt = (lease: Due, signal: AbortSignal, outsideLane: OutsideLane): Promise<DueEnd> => {
    const known = sinceMs() < FRESH_FOR_MS ? stored : { change };
    return carryOn(deps, { ...known, due: lease, events, outsideLane }, signal);
  };
  deps.start(due, attempt, { lane: "due", owner: change.requester.userId });
}

/**
 * Carries on a request that is due, on any replica. Nobody waits for an answer to a command or click any more. `known`: what was read for
 * others, if this one is still followed.
 */
export async function carryOnDue(
  deps: WorkflowParts,
  due: Due,
  signal: AbortSignal,
  outsideLane: OutsideLane,
  known?: ReadInList,
): Promise<DueEnd> {
  const change = await deps.store.find({ id: due.key });
  const stage = change === undefined ? "over" : stageOf(change);
  if (change === undefined || stage === "over") return "done";
  if (stage === "waiting") return endWaiting(deps, change, due);
  return carryOn(deps, { change, due, events: undefined, outsideLane, known }, signal);
}

/** Polls followed requests that are leased with what was read for others. */
export function followWith(deps: WorkflowParts, others: readonly Due[], known: ReadInList): void {
  for (const other of others) deps.start(other, (...taken) => carryOnDue(deps, ...taken, known), { lane: "due" });
}

/** Expires a request that waits for approvals, if its time is over. */
async function endWaiting(deps: WorkflowParts, change: StoredChange, due: Due): Promise<DueEnd> {
  const overdue = step("expire", { due, was: "pending", withinMs: 0 });
  const expired = await advance(deps, change, { ...overdue, result: "not enough approvals in time" });
  if (expired.kind !== "moved") return leftOf(deps, change, 0);
  return "ended";
}

/** Takes a Change from any stage to its end: runs it, reads it back, follows it. Each step is one conditional UPDATE. */
async function carryOn(deps: WorkflowParts, carrying: CarryOn, signal: AbortSignal): Promise<DueEnd> {
  const { change } = carrying;
  const left = () =>
    ({ what: "change", changeId: change.id, verb: change.verb, trace: contentOf(deps.sealer, change)?.trace }) as const; // a literal kind
  return resumed(left, () => attempt(deps, carrying, signal));
}

async function attempt(deps: WorkflowParts, carrying: CarryOn, signal: AbortSignal): Promise<DueEnd> {
  const { change, due, events, fresh } = carrying;
  let retryMs: number | undefined;
  const lease: Lease = { due, retryIn: (ms) => void (retryMs = ms) };
  let isEnded = false;
  try {
    const done = isSettled(change) ? undefined : await runToEnd(deps, { ...carrying, lease }, signal);
    const followed = done?.change ?? change;
    isEnded = done !== undefined && done.next !== "kept";
    if (!isEnded && isSettled(followed)) {
      const onBack = (back: Inserted): void => carryOnLater(deps, back);
      const withOthers = (others: readonly Due[], known: ReadInList): void => followWith(deps, others, known);
      const isLeftOver = done === undefined;
      const following = { ...carrying, lease, change: followed, isLeftOver, opened: fresh, onBack, withOthers };
      isEnded = await follow(deps, following, signal);
    }
  } catch (error) {
    if (events === undefined) throw error;
    await events.onFailed(error);
    if (error instanceof StoreError) throw error;
    return "retry";
  } finally {
    events?.onEnded();
  }
  if (isEnded) return "ended";
  return signal.aborted ? { ms: 0, isFailure: true } : leftOf(deps, change, retryMs);
}

/** Before another attempt, when nothing says what stopped this one. */
const RETRY_MS = 1_000;

/** When the next attempt begins, after one that didn't end its lease together with a step. */
async function leftOf({ store }: WorkflowParts, { id }: StoredChange, ms = RETRY_MS): Promise<DueEnd> {
  const now = await store.find({ id });
  const stage = now === undefined ? "over" : stageOf(now);
  if (stage === "over") return "done";
  if (stage !== "waiting") return { ms };
  return now?.expiresAt === undefined ? "done" : { at: now.expiresAt };
}

function isSettled(change: StoredChange): boolean {
  return stageOf(change) === "settled";
}

/** Runs it, or reads it back, and shows what became of it. */
async function runToEnd(
  deps: WorkflowParts,
  carrying: CarryOn & { readonly lease: Lease },
  signal: AbortSignal,
): Promise<Done | undefined> {
  const { change, fresh, events } = carrying;
  // When it is slow, its card says that it runs.
  const timer = deps.clock.patience(WORKING_AFTER_MS, () => deps.lanes.background(showLater(deps, change)));
  const done = await toItsEnd(deps, carrying, signal).finally(() => timer.cancel());
  await events?.onBegun?.();
  const taken = done?.card && { ...done.card, change: done.change, opened: fresh?.content };
  // It waits for something, and its card says for what.
  if (done === undefined) await showLater(deps, change);
  await deps.deliver({ id: requestIdOf(change.id) }, change.teamId, taken);
  return done;
}

/** What takes long gets its card now. Never rejects. */
export async function showLater({ store, log }: WorkflowParts, { id, teamId }: StoredChange): Promise<void> {
  try {
    await store.showChange({ id: requestIdOf(id), teamId });
  } catch (err) {
    log.warn({ err, changeId: id }, "couldn't schedule the card of a request that takes long");
  }
}

type CarryOn = Omit<Stored, "due"> & {
  readonly due: Due;
  readonly events: RunEvents | undefined;
  readonly outsideLane: OutsideLane;
  readonly known?: ReadInList | undefined;
};

type Running = CarryOn & { readonly lease: Lease };

async function toItsEnd(deps: WorkflowParts, running: Running, signal: AbortSignal): Promise<Done | undefined> {
  const { change, lease } = running;
  const stage = stageOf(change);
  // Somebody waits for the first attempt: it begins at once.
  const isFirst = running.fresh !== undefined || running.clearance !== undefined;
  if (!isFirst && (await hasToWait(deps, { change, lease }))) return undefined;
  if (stage === "approved") return run(deps, running, signal);
  if (stage !== "sent") return undefined;
  return change.parts === undefined ? readBack(deps, { change, lease }, signal) : beginNext(deps, { change, lease });
}

type Carried = { readonly change: StoredChange; readonly lease: Lease };

/**
 * One Run per workload: while another one has it, nothing is read either, because some services allow a hundred calls a day. What
 * waits too long for its start expires.
 */
async function hasToWait(deps: WorkflowParts, { change, lease }: Carried): Promise<boolean> {
  if (stageOf(change) !== "approved") return false;
  // Both by the database's clock.
  const approvedForMs = lease.due.takenAt.getTime() - (change.approvedAt ?? lease.due.takenAt).getTime();
  if (approvedForMs >= APPROVED_FOR_MS) {
    const overdue = step("expire", { due: lease.due, was: "approved", withinMs: APPROVED_FOR_MS });
    const expired = await advance(deps, change, { ...overdue, result: "it couldn't start in time" });
    if (expired.kind === "moved") return true;
  }
  if ((await deps.store.waitsFor(change)) === undefined) return false;
  lease.retryIn(BUSY_REST_MS);
  return true;
}

/** The Change once it is done; undefined when it ended otherwise, or isn't at its end. */
async function run(deps: WorkflowParts, running: Running, signal: AbortSignal): Promise<Done | undefined> {
  const { change, fresh, lease, events } = running;
  const { due } = lease;
  const onClaimed = events?.onClaimed;
  const cleared: Clearance =
    fresh === undefined
      ? (running.clearance ?? (await inSpan("policy", () => clearToRun(deps, change, { due }))))
      : { kind: "run", opened: fresh };
  switch (cleared.kind) {
    case "refused":
      await refuse(deps, { change, lease }, cleared.outcome);
      return undefined;
    case "unchecked":
      lease.retryIn(AWAY_REST_MS);
      return undefined;
    // Pending again, or taken over: the stored state is up to date.
    case "pending":
    case "moved":
      return undefined;
    case "run": {
      const { opened } = cleared;
      if (change.parts === undefined) {
        const clear = (proposed: Change): Promise<Clearance> => clearToRun(deps, change, { due, proposed });
        return sendChange(deps, { change, lease, opened, isFresh: fresh !== undefined, clear, onClaimed }, signal);
      }
      // Each of several workloads has its own claim and its own row of history.
      const claimed = await deps.store.advance(change.id, step("claim", { due }), undefined);
      onClaimed?.();
      return claimed.kind === "moved" ? beginNext(deps, { change: claimed.change, lease }) : undefined;
    }
  }
}

/** Each step of a part makes its request due. This is only a safety net. */
const AT_LATEST_MS = 10 * 60_000;

/**
 * Carries on a claimed request for several workloads. Its parts are carried on like any other request, one after the other, until one fails
 * or nobody can tell. A new version has to be healthy before the next part begins.
 */
async function beginNext(deps: WorkflowParts, { change: request, lease }: Carried): Promise<Done | undefined> {
  const next = nextPart(request);
  if (next === undefined) return settleRequest(deps, { change: request, lease });
  if (next.state === "approved" && next.approvedAt === undefined)
    await deps.store.advance(next.id, step("begin", { due: lease.due }), undefined);
  lease.retryIn(AT_LATEST_MS);
  return undefined;
}

/** The part that the request waits for, or that comes next; undefined when none may follow. Pure. */
export function nextPart({ parts = [] }: StoredChange): StoredChange | undefined {
  const first = parts.find((part) => part.settledAt === undefined || isRollingOut(part));
  const stops = parts.some((part) => part.settledAt !== undefined && isStop(part));
  return stops && first?.state === "approved" ? undefined : first;
}

/** A new version that isn't healthy yet. The request doesn't wait for one in trouble. */
function isRollingOut(part: StoredChange): boolean {
  const { state, health, progress } = part;
  return (
    isRolledOut(part) && state === "done" && health === undefined && progress?.kind !== "trouble" && !isAchieved(part)
  );
}

/** After a new version, only one that is healthy lets the next one begin. */
function isStop(part: StoredChange): boolean {
  const { state } = part;
  if (isRollingOut(part)) return false;
  return state === "failed" || state === "expired" || state === "unknown" || (isRolledOut(part) && !isAchieved(part));
}

function notSent(why: string, next: string): Outcome {
  return { kind: "failed", why, next };
}

/** Settles the request without a row of history, which its parts have. They are followed by themselves. */
async function settleRequest(deps: WorkflowParts, { change: request, lease }: Carried): Promise<Done | undefined> {
  const outcome = outcomeOf(request);
  const next = "over";
  const health = outcome.kind === "done" ? unwatched : undefined;
  const end = step(endOf[outcome.kind], { due: lease.due, next, outcome, health });
  const settled = await deps.store.advance(request.id, end, undefined);
  return settled.kind === "moved" ? { ...settled, next } : undefined;
}

/** The outcome of the whole, from those of its parts. Pure. */
function outcomeOf({ parts = [] }: StoredChange): Outcome {
  const of = (state: StoredChange["state"]): readonly StoredChange[] => parts.filter((part) => part.state === state);
  const [failed] = [...of("failed"), ...of("expired")];
  const [unknown] = of("unknown");
  const achieved = parts.filter(isAchieved);
  const words = `${achieved.length} of ${counted(parts.length, "workload")} done`;
  if (failed !== undefined) return notSent(`${words}: ${failed.workload.name} failed.`, "See the card for the reason.");
  if (unknown !== undefined) {
    const why = `${words}: can't tell about ${unknown.workload.name}.`;
    return { kind: "unknown", after: "unread", why, next: "Check the workload before you try again." };
  }
  const halted = parts.find((part) => isRolledOut(part) && part.state !== "cancelled" && !isAchieved(part));
  if (halted !== undefined && halted.state !== "approved") {
    const what = halted.state === "drifted" ? "changed meanwhile" : "isn't healthy";
    return notSent(`${words}: ${halted.workload.name} ${what}.`, "See the card for the reason.");
  }
  if (of("done").length === 0) return notSent("Each workload changed since the request.", "Request it again.");
  return { kind: "done", after: undefined, alsoMoved: [] };
}
