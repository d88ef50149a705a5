import type { StoredChange } from "../changes/stored-change.ts";
import { resumed, step as traced } from "../../platform/trail.ts";
import { type Clearance, clearPart, clearToRun } from "./access/clear-to-run.ts";
import { ageMs, follow, followParts, leftAlone, looking, lookOf, store } from "./follow.ts";
import { lookAtChanged, type Looked } from "../changes/health.ts";
import { FOLLOWED_FOR_MS } from "../changes/service-watch.ts";
import { isRolledOut } from "../views/cards/phrases.ts";
import { isAchieved } from "../views/cards/several-card.ts";
import { storeWayBack } from "./repeat/way-back.ts";
import { changeKey, stageOf, step, endOf } from "./lifecycle.ts";
import { AWAY_REST_MS, type Done, readBack, refuse, sendChange, stopwatch } from "./send.ts";
import { SIGN_AFTER_MS } from "./reply.ts";
import { type OpenRequest, openRequest } from "./open-request.ts";
import { changeIn, contentOf } from "./stored-request.ts";
import type { WorkflowParts } from "./ports.ts";
import type { Aside } from "./inbox/scheduler.ts";
import type { Change, Outcome } from "../changes/change.ts";
import { UserError } from "../errors.ts";
import { counted } from "../views/kit/text.ts";

export type Stored = {
  readonly change: StoredChange;
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
  /** It runs, or it came to nothing: its stored state says which. Its outcome is drawn afterwards. Never rejects. */
  readonly onBegun?: () => Promise<void>;
};

/** When a Change has waited longer than this for its turn, the workload is read and the policy asked again. */
const FRESH_FOR_MS = 10_000;

/**
 * Carries a Change on in the lane for watching, so that nobody's command waits for the workload API. The database alone
 * can continue it: when the lane is full, or this process dies, the sweep of some replica adds it again. So a delivery
 * may be finished once its Change is stored.
 */
export function carryOnLater(deps: WorkflowParts, stored: Stored, events?: RunEvents): void {
  const { change } = stored;
  const sinceMs = stopwatch(deps.clock);
  const job = { lane: "watching", key: changeKey(change.id), owner: change.requester.userId } as const; // a lane's name
  const left = () =>
    ({ what: "change", changeId: change.id, verb: change.verb, trace: contentOf(deps.sealer, change)?.trace }) as const; // a literal kind
  deps.lanes.add(job, (signal, aside) =>
    resumed(left, () =>
      carryOn(deps, { stored: sinceMs() < FRESH_FOR_MS ? stored : { change }, events, aside }, signal),
    ),
  );
}

/**
 * Takes a Change from any stage to its end: runs it, reads it back, follows it. Calling it twice, or on two replicas,
 * harms nothing: each step is one conditional UPDATE.
 */
async function carryOn(deps: WorkflowParts, { stored, events, aside }: CarryOn, signal: AbortSignal): Promise<void> {
  const { change, fresh } = stored;
  // When it is slow, its card says that it runs.
  const sign =
    stageOf(change) === "approved"
      ? deps.clock.patience(SIGN_AFTER_MS, () => deps.lanes.background(showLater(deps, change)))
      : undefined;
  try {
    const done = await toItsEnd(deps, stored, { signal, events }).finally(() => sign?.cancel());
    await events?.onBegun?.();
    const taken = done?.card && { ...done.card, change: done.change, opened: fresh?.content };
    // It waits for something, and its card says for what.
    if (done === undefined) await showLater(deps, change);
    await deps.deliver(change, change.teamId, taken);
    // An Undo that came to nothing changes the card of what it would have taken back.
    if (done === undefined && change.undoOf !== undefined) deps.wake();
    const followed = done?.change ?? change;
    if (stageOf(followed) === "settled") {
      const isLeftOver = done === undefined;
      const following = { change: followed, isLeftOver, opened: fresh, aside };
      if (followed.parts !== undefined) return await followParts(deps, following, signal);
      const back = await follow(deps, following, signal);
      if (back !== undefined) carryOnLater(deps, { change: back });
    }
  } catch (error) {
    if (events === undefined) throw error;
    await events.onFailed(error);
  }
  events?.onEnded();
}

/** What takes long gets its card now. Never rejects. */
export async function showLater(
  { store, wake, log }: Pick<WorkflowParts, "store" | "wake" | "log">,
  { id, teamId }: StoredChange,
): Promise<void> {
  try {
    if (await store.showChange({ id, teamId })) wake();
  } catch (err) {
    log.warn({ err, changeId: id }, "couldn't schedule the card of a request that takes long");
  }
}

type CarryOn = { readonly stored: Stored; readonly events: RunEvents | undefined; readonly aside: Aside };

type Running = { readonly signal: AbortSignal; readonly events: RunEvents | undefined };

async function toItsEnd(deps: WorkflowParts, stored: Stored, running: Running): Promise<Done | undefined> {
  const { signal } = running;
  const stage = stageOf(stored.change);
  if (stage === "approved") return run(deps, stored, running);
  if (stage !== "sent") return undefined;
  return stored.change.parts === undefined
    ? readBack(deps, stored.change, signal)
    : runParts(deps, stored.change, signal);
}

/** The Change once it is done; undefined when it ended otherwise, or isn't at its end. */
async function run(deps: WorkflowParts, stored: Stored, { signal, events }: Running): Promise<Done | undefined> {
  const { change, fresh } = stored;
  const onClaimed = events?.onClaimed;
  const cleared: Clearance =
    fresh === undefined
      ? (stored.clearance ?? (await traced("policy", () => clearToRun(deps, change))))
      : { kind: "run", opened: fresh };
  switch (cleared.kind) {
    case "refused":
      await refuse(deps, change, cleared.outcome);
      return undefined;
    case "unchecked":
      deps.lanes.rest(changeKey(change.id), AWAY_REST_MS);
      return undefined;
    // Pending again, or taken over: the stored state is up to date.
    case "pending":
    case "moved":
      return undefined;
    case "run": {
      const { opened } = cleared;
      if (change.parts === undefined) {
        const clear = (proposed: Change): Promise<Clearance> => clearToRun(deps, change, { proposed });
        return sendChange(deps, { change, opened, isFresh: fresh !== undefined, clear, onClaimed }, signal);
      }
      // Of several workloads, each is claimed and told for itself.
      const claimed = await deps.store.advance(change.id, step("claim", {}), undefined);
      onClaimed?.();
      return claimed.kind === "moved" ? runParts(deps, claimed.change, signal) : undefined;
    }
  }
}

/** A part waits this long for another Run of its workload, as an approved Change does. */
const BUSY_FOR_MS = 10 * 60_000;

/**
 * Carries on a claimed request for several workloads: one after the other, until one fails or nobody can tell. Each part
 * is claimed before it is sent, and one that was claimed by a replica that is gone is read back, never sent again. A new
 * version has to be healthy before the next part is sent: until then the request stays claimed, and nothing runs between
 * two looks.
 */
async function runParts(deps: WorkflowParts, request: StoredChange, signal: AbortSignal): Promise<Done | undefined> {
  const opened = await openedOrRefused(deps, request, signal);
  let last: StoredChange | undefined;
  for (;;) {
    const now = await deps.store.find({ id: request.id });
    if (signal.aborted || now?.state !== "claimed") return undefined;
    const rolling = partInRollout(now);
    if (rolling !== undefined && opened !== undefined) {
      if (!(await watchRollout(deps, { part: rolling, opened }, signal))) return undefined;
      continue;
    }
    const next = nextPart(now);
    if (next === undefined || opened === undefined) return settleRequest(deps, now);
    // Another Run of its workload is in progress, or another replica has it.
    if (next.id === last?.id) return undefined;
    last = next;
    await runPart(deps, { part: next, request: now, opened }, signal);
    await showLater(deps, request);
    deps.wake();
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
 * One look at a part with a new version. False while it isn't healthy: the request is due again for the next look, on any
 * replica. One that doesn't get ready goes back, and no other part is sent after it.
 */
async function watchRollout(
  deps: WorkflowParts,
  { part, opened }: Pick<Part, "part" | "opened">,
  signal: AbortSignal,
): Promise<boolean> {
  const content = contentOf(deps.sealer, part);
  const looked: Looked =
    content === undefined
      ? { health: leftAlone(part) }
      : await lookAtChanged(
          await lookOf(deps, { stored: part, change: changeIn(content), ageMs: ageMs(deps.clock, part) }),
          looking(deps, { change: part }, { request: opened, signal }),
        );
  if (signal.aborted) return false;
  const { stuck, nextMs, health } = looked;
  const { threadTs } = opened.content;
  // Before the trouble is stored: no look begins a way back after that.
  const back =
    stuck && content && (await storeWayBack(deps, { stored: part, content: { ...content, threadTs }, now: stuck }));
  const isDecided = health.kind === "reached" || health.kind === "trouble" || nextMs === undefined;
  const stored = await store(deps, part, looked, { restMs: isDecided ? 0 : nextMs });
  if (back !== undefined) carryOnLater(deps, { change: back });
  return stored !== undefined && isDecided;
}

type Part = { readonly part: StoredChange; readonly request: StoredChange; readonly opened: OpenRequest };

async function runPart(deps: WorkflowParts, { part, request, opened }: Part, signal: AbortSignal): Promise<void> {
  if (stageOf(part) === "sent") return void (await readBack(deps, part, signal));
  const content = contentOf(deps.sealer, part);
  if (content === undefined) {
    return refuse(deps, part, notSent("The stored request can't be opened.", "Request it again."));
  }
  const clear = (proposed?: Change): ReturnType<typeof clearPart> =>
    clearPart(deps, { part, request, opened, ...(proposed && { proposed }) });
  const cleared = isJustCleared(deps, request) ? undefined : await clear();
  if (cleared?.kind === "refused") return refuse(deps, part, cleared.outcome);
  if (cleared?.kind === "unchecked") deps.lanes.rest(changeKey(request.id), AWAY_REST_MS);
  else {
    const sending = { change: part, opened: { content, account: opened.account }, isFresh: false, clear };
    await sendChange(deps, sending, signal);
  }
  if (!isTurnOver(deps, request)) return;
  // Nothing happens to a part that moved on meanwhile.
  const why =
    cleared?.kind === "unchecked"
      ? "Slack didn't say in time who may do this."
      : `Another request for ${part.workload.name} took too long.`;
  const now = (await deps.store.find({ id: part.id })) ?? part;
  if (now.state === "approved" && !signal.aborted) await refuse(deps, part, notSent(why, "Request it again."));
}

/** Policy was asked about all of its parts a moment ago, and none has begun. */
function isJustCleared({ clock }: Pick<WorkflowParts, "clock">, { claimedAt, parts = [] }: StoredChange): boolean {
  const sinceMs = clock.now().getTime() - (claimedAt?.getTime() ?? 0);
  return sinceMs < FRESH_FOR_MS && parts.every((part) => part.claimedAt === undefined);
}

/** Since when the part that is next may run, at the latest: a new version before it may take its time. */
function turnMs({ claimedAt, parts = [] }: StoredChange): number {
  const rolledOut = parts.filter(isRolledOut).flatMap(({ settledAt }) => settledAt ?? []);
  return Math.max(claimedAt?.getTime() ?? 0, ...rolledOut.map((at) => at.getTime() + FOLLOWED_FOR_MS));
}

function notSent(why: string, next: string): Outcome {
  return { kind: "failed", why, next };
}

/** Undefined when nothing more can be sent or read: what was not begun is refused. */
async function openedOrRefused(
  deps: WorkflowParts,
  request: StoredChange,
  signal: AbortSignal,
): Promise<OpenRequest | undefined> {
  try {
    return await openRequest(deps, request);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const outcome = notSent(error.message, error.next ?? "Request it again.");
    for (const part of request.parts ?? []) {
      if (stageOf(part) === "sent") await readBack(deps, part, signal);
      if (stageOf(part) === "approved") await refuse(deps, part, outcome);
    }
    return undefined;
  }
}

/** Its history is that of its parts, and those that were changed are followed from now on. */
async function settleRequest(deps: WorkflowParts, request: StoredChange): Promise<Done | undefined> {
  const outcome = outcomeOf(request);
  const lookInMs = (request.parts ?? []).some(({ state }) => state === "done") ? 0 : undefined;
  const settled = await deps.store.advance(request.id, step(endOf[outcome.kind], { outcome, lookInMs }), undefined);
  return settled.kind === "moved" ? settled : undefined;
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
