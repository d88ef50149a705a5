import type { StoredChange } from "../changes/stored-change.ts";
import { unawaited } from "../../platform/unawaited.ts";
import { type Clearance, clearToRun } from "./access/clear-to-run.ts";
import { follow } from "./follow.ts";
import { changeKey, stageOf, step } from "./lifecycle.ts";
import { type Done, readBack, redrawLater, refuse, send, stopwatch } from "./send.ts";
import { followParts } from "./several/follow-parts.ts";
import { SIGN_AFTER_MS } from "./reply.ts";
import { runParts } from "./several/run-parts.ts";
import type { OpenRequest } from "./open-request.ts";
import type { WorkflowParts } from "./ports.ts";

/** Before Slack is asked again who the people of an approved Change are. */
const AWAY_REST_MS = 10_000;

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
  deps.lanes.add(job, (signal) =>
    carryOn(deps, { stored: sinceMs() < FRESH_FOR_MS ? stored : { change }, events }, signal),
  );
}

/**
 * Takes a Change from any stage to its end: runs it, reads it back, follows it. Calling it twice, or on two replicas,
 * harms nothing: each step is one conditional UPDATE.
 */
async function carryOn(deps: WorkflowParts, { stored, events }: CarryOn, signal: AbortSignal): Promise<void> {
  const { change, fresh } = stored;
  let isOver = false;
  const drawIfSlow = async (): Promise<void> => {
    await deps.clock.patience(SIGN_AFTER_MS);
    // Until it has ended, its card says that it runs.
    if (!isOver) redrawLater(deps, change.id);
  };
  if (stageOf(change) === "approved") {
    unawaited(drawIfSlow(), (err) => deps.log.error({ err, changeId: change.id }, "couldn't show that a change runs"));
  }
  try {
    const done = await toItsEnd(deps, stored, { signal, events }).finally(() => (isOver = true));
    await events?.onBegun?.();
    await deps.cards.draw(change.id, { opened: fresh?.content, drawing: done?.drawing });
    const followed = done?.change ?? change;
    if (stageOf(followed) === "settled") {
      const isLeftOver = done === undefined;
      await (followed.parts === undefined ? follow : followParts)(
        deps,
        { change: followed, isLeftOver, opened: fresh },
        signal,
      );
    }
  } catch (error) {
    if (events === undefined) throw error;
    await events.onFailed(error);
  }
  events?.onEnded();
}

type CarryOn = { readonly stored: Stored; readonly events: RunEvents | undefined };

type Running = { readonly signal: AbortSignal; readonly events: RunEvents | undefined };

async function toItsEnd(deps: WorkflowParts, stored: Stored, running: Running): Promise<Done | undefined> {
  const { signal } = running;
  const stage = stageOf(stored.change);
  if (stage === "approved") return run(deps, stored, running);
  if (stage !== "sent") return undefined;
  return stored.change.parts === undefined
    ? readBack(deps, stored.change, signal)
    : partsDone(deps, stored.change, signal);
}

/** The Change once it is done; undefined when it ended otherwise, or isn't at its end. */
async function run(deps: WorkflowParts, stored: Stored, { signal, events }: Running): Promise<Done | undefined> {
  const { change, fresh } = stored;
  const onClaimed = events?.onClaimed;
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
      if (change.parts !== undefined) return begin(deps, { change, onClaimed }, signal);
      return send(deps, { change, opened, isFresh: fresh !== undefined, onClaimed }, signal);
    }
  }
}

/** Of several workloads, each is claimed and told for itself. */
async function begin(
  deps: WorkflowParts,
  { change, onClaimed }: { readonly change: StoredChange; readonly onClaimed: RunEvents["onClaimed"] | undefined },
  signal: AbortSignal,
): Promise<Done | undefined> {
  const claimed = await deps.store.advance(change.id, step("claim", {}), undefined);
  onClaimed?.();
  return claimed.kind === "moved" ? partsDone(deps, claimed.change, signal) : undefined;
}

async function partsDone(deps: WorkflowParts, claimed: StoredChange, signal: AbortSignal): Promise<Done | undefined> {
  const change = await runParts(deps, claimed, signal);
  return change && { change };
}

async function clearanceOf(deps: WorkflowParts, { change, fresh, clearance }: Stored): Promise<Clearance> {
  if (fresh !== undefined) return { kind: "run", opened: fresh };
  return clearance ?? clearToRun(deps, change);
}
