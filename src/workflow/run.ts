import { executeChange, type Executed } from "../changes/execute.ts";
import { readBackUnknown } from "../changes/read-back-unknown.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { operationTable } from "../api/operations.ts";
import type { Settings } from "../commands/command.ts";
import { UserError } from "../errors.ts";
import { type Clearance, type ClearToRunDeps, clearToRun } from "./access/clear-to-run.ts";
import { advance } from "./advance.ts";
import { follow, type FollowDeps } from "./follow.ts";
import type { Lanes } from "./inbox/lanes.ts";
import { changeKey, endOf, stageOf, step } from "./lifecycle.ts";
import type { Cards, Store } from "./ports.ts";
import { apiFor, contentOf, openRequest, type OpenRequest } from "./stored-request.ts";
import type { Outcome } from "../changes/change.ts";

/** A Run takes seconds; another Run of the same workload is not tried before this. */
const BUSY_REST_MS = 10_000;
/** Before Slack is asked again who the people of an approved Change are. */
const AWAY_REST_MS = 10_000;

export type RunDeps = ClearToRunDeps &
  FollowDeps & {
    readonly store: Pick<Store, "sendWithinMs">;
    readonly cards: Pick<Cards, "draw">;
    readonly settings: Pick<Settings, "resourcesKey">;
    readonly lanes: Pick<Lanes, "add" | "rest">;
    readonly newReference: () => string;
  };

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
};

/** When a Change has waited longer than this for its turn, the workload is read and the policy asked again. */
const FRESH_FOR_MS = 10_000;

/**
 * Carries a Change on in the lane for watching, so that nobody's command waits for the workload API. The database alone
 * can continue it: when the lane is full, or this process dies, the sweep of some replica adds it again. So a delivery
 * may be finished once its Change is stored.
 */
export function carryOnLater(deps: RunDeps, stored: Stored, events?: RunEvents): void {
  const { change } = stored;
  const sinceMs = stopwatch(deps.clock);
  const job = { lane: "watching", key: changeKey(change.id), owner: change.requester.userId } as const; // a lane's name
  deps.lanes.add(job, (signal) =>
    carryOn(deps, { stored: sinceMs() < FRESH_FOR_MS ? stored : { change }, events }, signal),
  );
}

/** Draws a card that nobody waits for. When the lane is full, the next sweep finds the card. */
export function redrawLater({ lanes, cards }: Pick<RunDeps, "lanes" | "cards">, changeId: string): void {
  lanes.add({ lane: "redraws", key: `card ${changeId}` }, () => cards.draw(changeId));
}

/**
 * The time since now, by two clocks: `performance.now` stops while the machine is suspended, and the wall clock can be set
 * back.
 */
function stopwatch({ now }: RunDeps["clock"]): () => number {
  const elapsedMs = performance.now();
  const wallMs = now().getTime();
  return () => Math.max(performance.now() - elapsedMs, now().getTime() - wallMs);
}

/**
 * Takes a Change from any stage to its end: runs it, reads it back, follows it. Calling it twice, or on two replicas,
 * harms nothing: each step is one conditional UPDATE.
 */
async function carryOn(deps: RunDeps, { stored, events }: CarryOn, signal: AbortSignal): Promise<void> {
  const { change, fresh } = stored;
  const stage = stageOf(change);
  try {
    const done = await toItsEnd(deps, stored, signal);
    await deps.cards.draw(change.id, fresh?.content);
    if (stage === "settled") await follow(deps, { change, isLeftOver: true }, signal);
    else if (done !== undefined) await follow(deps, { change: done, isLeftOver: false, opened: fresh }, signal);
  } catch (error) {
    if (events === undefined) throw error;
    await events.onFailed(error);
  }
  events?.onEnded();
}

type CarryOn = { readonly stored: Stored; readonly events: RunEvents | undefined };

async function toItsEnd(deps: RunDeps, stored: Stored, signal: AbortSignal): Promise<StoredChange | undefined> {
  const stage = stageOf(stored.change);
  if (stage === "approved") return run(deps, stored, signal);
  return stage === "sent" ? readBack(deps, stored.change, signal) : undefined;
}

/** The Change once it is done; undefined when it ended otherwise, or isn't at its end. */
async function run(deps: RunDeps, stored: Stored, signal: AbortSignal): Promise<StoredChange | undefined> {
  const { change, fresh } = stored;
  const cleared = await clearanceOf(deps, stored);
  switch (cleared.kind) {
    case "refused":
      await refuse(deps, change, cleared.outcome);
      return undefined;
    case "untold":
      deps.lanes.rest(changeKey(change.id), AWAY_REST_MS);
      return undefined;
    // Pending again, or taken over: the stored state is up to date.
    case "pending":
    case "moved":
      return undefined;
    case "run": {
      const { opened } = cleared;
      const executed = await executeChange(opened.content.change, {
        ...apiFor(deps, opened, signal),
        ...guard(deps, change, signal),
        isFresh: fresh !== undefined,
        digest: change.digest,
        resourcesKey: deps.settings.resourcesKey,
        doubt: (outcome) => doubt(deps, change, outcome),
      });
      return record(deps, change, executed);
    }
  }
}

async function clearanceOf(deps: RunDeps, { change, fresh, clearance }: Stored): Promise<Clearance> {
  if (fresh !== undefined) return { kind: "run", opened: fresh };
  return clearance ?? clearToRun(deps, change);
}

/** Claims the Change and checks the clocks right before sending: a process that was suspended must not send. */
function guard(deps: RunDeps, change: StoredChange, signal: AbortSignal) {
  let sinceClaimMs = (): number => Number.POSITIVE_INFINITY;
  return {
    async claim() {
      const sinceMs = stopwatch(deps.clock);
      const { kind } = await advance(deps, change, { ...step("claim", {}), result: "sent to the service" });
      if (kind === "busy") return "busy";
      if (kind !== "moved") return "lost";
      sinceClaimMs = sinceMs;
      return "claimed";
    },
    mayLeave: () => !signal.aborted && sinceClaimMs() < deps.store.sendWithinMs,
  } as const; // the kinds of a claim
}

/** Shows at once that the answer is missing, since somebody waits, while the workload is being read back. */
async function doubt(deps: RunDeps, change: StoredChange, outcome: Outcome): Promise<void> {
  const result = wordsOf(outcome);
  const reference = deps.newReference();
  const { kind } = await advance(deps, change, { ...step("doubt", { outcome }), result, reference });
  if (kind === "moved") redrawLater(deps, change.id);
}

async function record(deps: RunDeps, change: StoredChange, executed: Executed): Promise<StoredChange | undefined> {
  switch (executed.kind) {
    case "busy":
      // Each try reads the workload again, and some services allow a hundred calls a day.
      deps.lanes.rest(changeKey(change.id), BUSY_REST_MS);
      return undefined;
    case "lost":
      // Another replica has it, and records how it ended.
      return undefined;
    case "drifted": {
      const { drift } = executed;
      const result = drift.map(({ field, then, now }) => `${field}: ${then} when requested → ${now} now`).join("; ");
      await advance(deps, change, { ...step("drift", { drift }), result });
      return undefined;
    }
    case "refused":
      await refuse(deps, change, executed.outcome);
      return undefined;
    case "ended":
      return settle(deps, change, executed.outcome);
  }
}

async function refuse(deps: RunDeps, change: StoredChange, outcome: Outcome): Promise<void> {
  const words = { result: wordsOf(outcome), reference: deps.newReference() };
  await advance(deps, change, { ...step("refuse", { outcome }), ...words });
}

/** The Change if it is done. */
async function settle(deps: RunDeps, change: StoredChange, outcome: Outcome): Promise<StoredChange | undefined> {
  const name = endOf[outcome.kind];
  const reference = name === "succeed" ? {} : { reference: deps.newReference() };
  const settled = await advance(deps, change, { ...step(name, { outcome }), result: wordsOf(outcome), ...reference });
  return settled.kind === "moved" && name === "succeed" ? settled.change : undefined;
}

/** A Change that a replica sent before it was gone: read back, never sent again. */
async function readBack(deps: RunDeps, change: StoredChange, signal: AbortSignal): Promise<StoredChange | undefined> {
  let opened: OpenRequest;
  try {
    opened = await openRequest(deps, change);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return settle(deps, change, unreadable(deps, change));
  }
  // From now, whenever it was claimed: that was by the database's clock, which is not ours. Longer than needed, never shorter.
  const notBeforeMs = deps.store.sendWithinMs + operationTable[change.op].timeoutMs;
  const outcome = await readBackUnknown(opened.content.change, { ...apiFor(deps, opened, signal), notBeforeMs });
  return signal.aborted ? undefined : settle(deps, change, outcome);
}

function unreadable({ sealer }: RunDeps, change: StoredChange): Outcome {
  const gone = contentOf(sealer, change) === undefined ? "the stored request" : "the account it used";
  const why = `It may have been sent, but I can't check: ${gone} can't be opened any more.`;
  return { kind: "unknown", after: "unread", why, next: "Check the workload before you try again." };
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === "done" ? "took effect" : outcome.why;
}
