import type { StoredChange } from "../../changes/stored-change.ts";
import { stopwatch } from "../../../platform/clock.ts";
import { resumed, inSpan } from "../../../platform/trail.ts";
import { type Clearance, clearPart, clearToRun } from "../access/clear-to-run.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { ageMs, follow, followParts, leftAlone, pollOf, readingFor, savePoll } from "./follow.ts";
import { advance } from "../history.ts";
import { pollChanged, type PollResult } from "../../changes/health.ts";
import { FOLLOWED_FOR_MS } from "../../changes/service-poll.ts";
import { isRolledOut } from "../../views/cards/phrases.ts";
import { isAchieved } from "../../views/cards/several-card.ts";
import { storeWayBack } from "./way-back.ts";
import { stageOf, step, endOf } from "../lifecycle.ts";
import { AWAY_REST_MS, BUSY_REST_MS, type Done, type Lease, readBack, refuse, sendChange } from "./send.ts";
import { WORKING_AFTER_MS } from "../reply.ts";
import { type OpenRequest, openRequest } from "../open-request.ts";
import { changeIn, contentOf } from "../stored-request.ts";
import type { Inserted } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import type { OutsideLane } from "../inbox/scheduler.ts";
import type { Change, Outcome } from "../../changes/change.ts";
import { StoreError, UserError } from "../../errors.ts";
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

/** Carries on a request that is due, on any replica. Nobody waits for an answer to a command or click any more. */
export async function carryOnDue(
  deps: WorkflowParts,
  due: Due,
  signal: AbortSignal,
  outsideLane: OutsideLane,
): Promise<DueEnd> {
  const change = await deps.store.find({ id: due.key });
  const stage = change === undefined ? "over" : stageOf(change);
  if (change === undefined || stage === "over") return "done";
  if (stage === "waiting") return endWaiting(deps, change, due);
  return carryOn(deps, { change, due, events: undefined, outsideLane }, signal);
}

/** Expires a request that waits for approvals, if its time is over. */
async function endWaiting(
  deps: Pick<WorkflowParts, "clock" | "log" | "store">,
  change: StoredChange,
  due: Due,
): Promise<DueEnd> {
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
      const following = { ...carrying, lease, change: followed, isLeftOver: done === undefined, opened: fresh, onBack };
      isEnded = await (followed.parts === undefined ? follow : followParts)(deps, following, signal);
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
async function leftOf({ store }: Pick<WorkflowParts, "store">, { id }: StoredChange, ms = RETRY_MS): Promise<DueEnd> {
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
  await deps.deliver(change, change.teamId, taken);
  return done;
}

/** What takes long gets its card now. Never rejects. */
export async function showLater(
  { store, log }: Pick<WorkflowParts, "store" | "log">,
  { id, teamId }: StoredChange,
): Promise<void> {
  try {
    await store.showChange({ id, teamId });
  } catch (err) {
    log.warn({ err, changeId: id }, "couldn't schedule the card of a request that takes long");
  }
}

type CarryOn = Omit<Stored, "due"> & {
  readonly due: Due;
  readonly events: RunEvents | undefined;
  readonly outsideLane: OutsideLane;
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
  return change.parts === undefined
    ? readBack(deps, { change, lease }, signal)
    : runParts(deps, { change, lease }, signal);
}

type Carried = { readonly change: StoredChange; readonly lease: Lease };

/**
 * One Run per workload: while another one has it, nothing is read either, because some services allow a hundred calls a day. What
 * waits too long for its start expires, or is refused.
 */
async function hasToWait(
  deps: Pick<WorkflowParts, "clock" | "log" | "store">,
  { change, lease }: Carried,
): Promise<boolean> {
  if (nextToSend(change) === undefined || isTurnOver(deps, change)) return false;
  // Both by the database's clock.
  const approvedForMs = lease.due.takenAt.getTime() - (change.approvedAt ?? lease.due.takenAt).getTime();
  if (stageOf(change) === "approved" && approvedForMs >= APPROVED_FOR_MS) {
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
      // Each workload of a group has its own claim and its own messages.
      const claimed = await deps.store.advance(change.id, step("claim", { due }), undefined);
      onClaimed?.();
      return claimed.kind === "moved" ? runParts(deps, { change: claimed.change, lease }, signal) : undefined;
    }
  }
}

/** A part waits this long for another Run of its workload, as an approved Change does. */
const BUSY_FOR_MS = 10 * 60_000;

/**
 * Carries on a claimed request for several workloads: one after the other, until one fails or nobody can tell. Each part
 * is claimed before it is sent, and one that was claimed by a replica that is gone is read back, never sent again. A new
 * version has to be healthy before the next part is sent: until then the request stays claimed, and nothing runs between
 * two polls.
 */
async function runParts(
  deps: WorkflowParts,
  { change: request, lease }: Carried,
  signal: AbortSignal,
): Promise<Done | undefined> {
  const opened = await openedOrRefused(deps, { change: request, lease }, signal);
  let last: StoredChange | undefined;
  for (;;) {
    const now = await deps.store.find({ id: request.id });
    if (signal.aborted || now?.state !== "claimed") return undefined;
    const rolling = partInRollout(now);
    if (rolling !== undefined && opened !== undefined) {
      if (!(await pollRollout(deps, { part: rolling, lease, opened }, signal))) return undefined;
      continue;
    }
    const next = nextPart(now);
    if (next === undefined || opened === undefined) return settleRequest(deps, { change: now, lease });
    // Another Run of its workload is in progress, or another replica has it.
    if (next.id === last?.id) return undefined;
    last = next;
    await runPart(deps, { part: next, request: now, lease, opened }, signal);
    await showLater(deps, request);
  }
}

/** The first part that isn't at its end; undefined when none may follow. Pure. */
export function nextPart({ parts = [] }: StoredChange): StoredChange | undefined {
  const first = parts.find(({ settledAt }) => settledAt === undefined);
  const stops = parts.some((part) => part.settledAt !== undefined && isStop(part));
  return stops && first?.state === "approved" ? undefined : first;
}

/** The Change or part that this request would send next; undefined while it reads back, follows a rollout or is over. Pure. */
export function nextToSend(request: StoredChange): StoredChange | undefined {
  const next = request.parts === undefined ? request : nextPart(request);
  return next !== undefined && stageOf(next) === "approved" ? next : undefined;
}

/** Whether the next part has waited so long for another Run of its workload that it is refused. */
export function isTurnOver({ clock }: Pick<WorkflowParts, "clock">, request: StoredChange): boolean {
  return request.claimedAt !== undefined && clock.now().getTime() - turnMs(request) >= BUSY_FOR_MS;
}

/** After a new version, only one that is healthy lets the next one begin. */
function isStop(part: StoredChange): boolean {
  return part.state === "failed" || part.state === "unknown" || (isRolledOut(part) && !isAchieved(part));
}

/** The part with a new version that isn't healthy yet. The request doesn't wait for one in trouble. Pure. */
function partInRollout({ parts = [] }: StoredChange): StoredChange | undefined {
  return parts.find(
    (part) =>
      isRolledOut(part) &&
      part.state === "done" &&
      part.health === undefined &&
      part.progress?.kind !== "trouble" &&
      !isAchieved(part),
  );
}

/**
 * Polls a part with a new version. False while it isn't healthy: the next poll is scheduled, for any replica. If it doesn't get ready,
 * it is rolled back and no other part is sent.
 */
async function pollRollout(
  deps: WorkflowParts,
  { part, lease, opened }: Omit<Part, "request">,
  signal: AbortSignal,
): Promise<boolean> {
  const content = contentOf(deps.sealer, part);
  const polled: PollResult =
    content === undefined
      ? { health: leftAlone(part) }
      : await pollChanged(
          await pollOf(deps, { stored: part, change: changeIn(content), ageMs: ageMs(deps.clock, part) }),
          readingFor(deps, { change: part }, { request: opened, signal }),
        );
  if (signal.aborted) return false;
  const { stuck, nextMs, health } = polled;
  const { threadTs } = opened.content;
  // Before the trouble is stored: a later poll doesn't begin a way back.
  const back =
    stuck && content && (await storeWayBack(deps, { stored: part, content: { ...content, threadTs }, now: stuck }));
  const isDecided = health.kind === "reached" || health.kind === "trouble" || nextMs === undefined;
  if (nextMs !== undefined) lease.retryIn(nextMs);
  try {
    return (await savePoll(deps, { change: part, lease }, polled)) !== undefined && isDecided;
  } finally {
    if (back !== undefined) carryOnLater(deps, back);
  }
}

type Part = {
  readonly part: StoredChange;
  readonly request: StoredChange;
  readonly lease: Lease;
  readonly opened: OpenRequest;
};

async function runPart(
  deps: WorkflowParts,
  { part: change, request, lease, opened }: Part,
  signal: AbortSignal,
): Promise<void> {
  const part = { change, lease };
  if (stageOf(change) === "sent") return void (await readBack(deps, part, signal));
  const content = contentOf(deps.sealer, change);
  if (content === undefined) {
    return refuse(deps, part, notSent("The stored request can't be opened.", "Request it again."));
  }
  const clear = (proposed?: Change): ReturnType<typeof clearPart> =>
    clearPart(deps, { part: change, request, opened, ...(proposed && { proposed }) });
  const cleared = isJustCleared(deps, request) ? undefined : await clear();
  if (cleared?.kind === "refused") return refuse(deps, part, cleared.outcome);
  if (cleared?.kind === "unchecked") lease.retryIn(AWAY_REST_MS);
  else {
    const sending = { ...part, opened: { content, account: opened.account }, isFresh: false, clear };
    await sendChange(deps, sending, signal);
  }
  if (!isTurnOver(deps, request)) return;
  // Nothing happens to a part that moved on meanwhile.
  const why =
    cleared?.kind === "unchecked"
      ? "Slack didn't say in time who may do this."
      : `Another request for ${change.workload.name} took too long.`;
  const now = (await deps.store.find({ id: change.id })) ?? change;
  if (now.state === "approved" && !signal.aborted) await refuse(deps, part, notSent(why, "Request it again."));
}

/** Policy was asked about all of its parts a moment ago, and none has begun. */
function isJustCleared({ clock }: Pick<WorkflowParts, "clock">, { claimedAt, parts = [] }: StoredChange): boolean {
  const sinceMs = clock.now().getTime() - (claimedAt?.getTime() ?? 0);
  return sinceMs < FRESH_FOR_MS && parts.every((part) => part.claimedAt === undefined);
}

/** Latest start of the next part; a rollout before it may be slow. */
function turnMs({ claimedAt, parts = [] }: StoredChange): number {
  const rolledOut = parts.filter(isRolledOut).flatMap(({ settledAt }) => settledAt ?? []);
  return Math.max(claimedAt?.getTime() ?? 0, ...rolledOut.map((at) => at.getTime() + FOLLOWED_FOR_MS));
}

function notSent(why: string, next: string): Outcome {
  return { kind: "failed", why, next };
}

/** Undefined when the request can't be opened any more: its sent parts are read back, the others refused. */
async function openedOrRefused(
  deps: WorkflowParts,
  { change: request, lease }: Carried,
  signal: AbortSignal,
): Promise<OpenRequest | undefined> {
  try {
    return await openRequest(deps, request);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const outcome = notSent(error.message, error.next ?? "Request it again.");
    for (const change of request.parts ?? []) {
      if (stageOf(change) === "sent") await readBack(deps, { change, lease }, signal);
      if (stageOf(change) === "approved") await refuse(deps, { change, lease }, outcome);
    }
    return undefined;
  }
}

/** Settles the request without a row of history, which its parts have, and begins to poll the changed parts. */
async function settleRequest(
  deps: Pick<WorkflowParts, "store">,
  { change: request, lease }: Carried,
): Promise<Done | undefined> {
  const outcome = outcomeOf(request);
  const next = (request.parts ?? []).some(({ state }) => state === "done") ? "kept" : "over";
  const end = step(endOf[outcome.kind], { due: lease.due, next, outcome });
  const settled = await deps.store.advance(request.id, end, undefined);
  return settled.kind === "moved" ? { ...settled, next } : undefined;
}

/** The outcome of the whole, from those of its parts. Pure. */
function outcomeOf({ parts = [] }: StoredChange): Outcome {
  const of = (state: StoredChange["state"]): readonly StoredChange[] => parts.filter((part) => part.state === state);
  const [failed] = of("failed");
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
