import { executeChange, type Executed } from "../changes/execute.ts";
import type { Outcome } from "../changes/change.ts";
import { readBackUnknown } from "../changes/read-back-unknown.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { operationTable } from "../api/operations.ts";
import { UserError } from "../errors.ts";
import { type Clearance, clearToRun } from "./access/clear-to-run.ts";
import { draw } from "../slack/cards/draw.ts";
import { eventOf, logEvent } from "./history.ts";
import { followHealth } from "./follow.ts";
import { apiOf, type OpenedChange, reopened } from "./reopened.ts";
import { contentOf } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";

/** One Run of a workload takes seconds: so long a second one waits before it tries again. */
const BUSY_REST_MS = 10_000;
/** Before Slack is asked again who the people of an approved Change are. */
const AWAY_REST_MS = 10_000;
/** When a Change has waited longer than this for its turn, the workload is read and the policy asked again. */
const FRESH_FOR_MS = 10_000;

type Carried = {
  readonly change: StoredChange;
  /** Whether what was read of the workload is seconds old, so that it need not be read again before it is sent. */
  readonly isFresh: boolean;
  /** The clearance, if it was judged a moment ago. */
  readonly clearance?: Clearance | undefined;
};

/** For the person whose interaction led to the run. */
export type RunEvents = {
  readonly onFailed: (error: unknown) => Promise<void>;
  readonly onEnded: () => void;
};

/**
 * Carries a Change on in the lane of watches, so that nobody's command waits for the service. The database alone can
 * continue it: when the lane is full, or this process dies, the sweep of some replica adds it again. So a delivery may be
 * finished once its Change is stored.
 */
export function carryOnLater(shell: Shell, carried: Carried, events?: RunEvents): void {
  const { change } = carried;
  const { lanes, now } = shell;
  const added = { elapsedMs: performance.now(), wallMs: now().getTime() };
  const job = { lane: "watching", key: keyOf(change), owner: change.requester.userId } as const; // a lane's name
  lanes.add(job, async (signal) => {
    const waitedMs = Math.max(performance.now() - added.elapsedMs, now().getTime() - added.wallMs);
    try {
      await carryOn(shell, waitedMs < FRESH_FOR_MS ? carried : { change, isFresh: false }, signal);
    } catch (error) {
      if (events === undefined) throw error;
      await events.onFailed(error);
    }
    events?.onEnded();
  });
}

/** Draws a card that nobody waits for. When the lane is full, the next sweep finds the card. */
export function redrawLater(shell: Shell, id: string): void {
  shell.lanes.add({ lane: "redraws", key: `card ${id}` }, () => draw(shell, id));
}

function keyOf({ id }: StoredChange): string {
  return `change ${id}`;
}

/**
 * Continues a Change in any state: approved ones run, sent ones are settled, done ones are followed. Calling it twice, or
 * on two replicas, is harmless: each step is one conditional UPDATE.
 */
async function carryOn(shell: Shell, carried: Carried, signal: AbortSignal): Promise<void> {
  const { id, state } = carried.change;
  await settleState(shell, carried, signal);
  await draw(shell, id);
  await followHealth(shell, { id, isLeftOver: state === "done" }, signal);
}

async function settleState(shell: Shell, carried: Carried, signal: AbortSignal): Promise<void> {
  const { change } = carried;
  if (change.state === "approved") return run(shell, carried, signal);
  const isOpen = change.state === "claimed" || (change.state === "unknown" && change.settledAt === undefined);
  if (isOpen) return settleOpen(shell, change, signal);
}

async function run(shell: Shell, carried: Carried, signal: AbortSignal): Promise<void> {
  const { store } = shell;
  const { change, isFresh } = carried;
  const clearance = await clearanceOf(shell, carried);
  if (clearance.kind === "refused") return refuse(shell, change, clearance.outcome);
  if (clearance.kind === "untold") return shell.lanes.rest(keyOf(change), AWAY_REST_MS);
  // Pending again, or taken over: the stored state is up to date.
  if (clearance.kind !== "run") return undefined;
  const { opened } = clearance;
  const executed = await executeChange(opened.content.change, {
    ...apiOf(shell, opened, signal),
    ...guardOf(shell, change, signal),
    isFresh,
    digest: change.digest,
    resourcesKey: shell.settings.resourcesKey,
    doubt: async (outcome) => {
      const event = eventOf(shell, change, { kind: "unknown", result: wordsOf(outcome), ...referenced(shell) });
      if ((await store.doubt(change.id, outcome, event)) === undefined) return;
      logEvent(shell, event);
      // Somebody waits: that it is being read back is said at once.
      redrawLater(shell, change.id);
    },
  });
  return record(shell, change, executed);
}

/** A fresh request was judged a moment ago. */
async function clearanceOf(shell: Shell, { change, isFresh, clearance }: Carried): Promise<Clearance> {
  if (clearance !== undefined) return clearance;
  if (!isFresh) return clearToRun(shell, change);
  try {
    return { kind: "run", opened: await reopened(shell, change) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: "refused", outcome: { kind: "failed", why: error.message, next: error.next ?? "Ask again." } };
  }
}

/**
 * Claims the Change and checks the clocks right before sending: a process that was suspended must not send. Two clocks,
 * because `performance.now` stops while the machine is suspended, and the wall clock can be set back.
 */
function guardOf(shell: Shell, change: StoredChange, signal: AbortSignal) {
  const never = Number.NEGATIVE_INFINITY;
  let claimed = { elapsedMs: never, wallMs: never };
  return {
    claim: async () => {
      const event = eventOf(shell, change, { kind: "claimed", result: "sent to the service" });
      const before = { elapsedMs: performance.now(), wallMs: shell.now().getTime() };
      const result = await shell.store.claim(change.id, event);
      if (result.kind === "claimed") {
        claimed = before;
        logEvent(shell, event);
      }
      return result.kind;
    },
    mayLeave() {
      const sinceMs = Math.max(performance.now() - claimed.elapsedMs, shell.now().getTime() - claimed.wallMs);
      return !signal.aborted && sinceMs < shell.store.sendWithinMs;
    },
  };
}

async function record(shell: Shell, change: StoredChange, executed: Executed): Promise<void> {
  switch (executed.kind) {
    case "busy":
      // Each try reads the workload again, and some services allow a hundred calls a day.
      return shell.lanes.rest(keyOf(change), BUSY_REST_MS);
    case "lost":
      // Somebody else has it, and says how it ended.
      return undefined;
    case "drifted": {
      const result = executed.drift.map(({ field, then, now }) => `${field}: ${then} then, ${now} now`).join("; ");
      const event = eventOf(shell, change, { kind: "drifted", result });
      if ((await shell.store.drift(change.id, executed.drift, event)) !== undefined) logEvent(shell, event);
      return undefined;
    }
    case "refused":
      return refuse(shell, change, executed.outcome);
    case "ended":
      return settle(shell, change, executed.outcome);
  }
}

async function refuse(shell: Shell, change: StoredChange, outcome: Outcome): Promise<void> {
  const result = `nothing was sent: ${wordsOf(outcome)}`;
  const event = eventOf(shell, change, { kind: "failed", result, ...referenced(shell) });
  if ((await shell.store.refuse(change.id, outcome, event)) !== undefined) logEvent(shell, event);
}

async function settle(shell: Shell, change: StoredChange, outcome: Outcome): Promise<void> {
  const kind = outcome.kind === "asked" ? "done" : outcome.kind;
  const reference = kind === "done" ? {} : referenced(shell);
  const event = eventOf(shell, change, { kind, result: wordsOf(outcome), ...reference });
  if ((await shell.store.settle(change.id, outcome, event)) !== undefined) logEvent(shell, event);
}

/** One that was left behind by a replica that is gone: read back, never sent again. */
async function settleOpen(shell: Shell, change: StoredChange, signal: AbortSignal): Promise<void> {
  let opened: OpenedChange;
  try {
    opened = await reopened(shell, change);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const gone =
      contentOf(shell.sealer, change) === undefined ? "what was asked for" : "the account it was asked for with";
    const why = `It may have been sent, and the workload cannot be read back: ${gone} cannot be opened any more.`;
    return settle(shell, change, { kind: "unknown", after: "unread", why, next: "Look at the workload." });
  }
  // From now, whenever it was claimed: that was by the database's clock, which is not ours. Longer than needed, never shorter.
  const notBeforeMs = shell.store.sendWithinMs + operationTable[change.op].timeoutMs;
  const outcome = await readBackUnknown(opened.content.change, { ...apiOf(shell, opened, signal), notBeforeMs });
  if (signal.aborted) return undefined;
  return settle(shell, change, outcome);
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === "done" ? "took effect" : outcome.why;
}

/** What stands in the log beside it, so that people can name it. */
function referenced({ newReference }: Shell): { readonly reference: string } {
  return { reference: newReference() };
}
