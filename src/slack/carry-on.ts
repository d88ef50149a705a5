import type { OpenAccount } from "../accounts/account.ts";
import { executeChange, type Executed } from "../changes/execute.ts";
import { watchHealth } from "../changes/health.ts";
import type { Outcome } from "../changes/outcome.ts";
import { settleUnknown } from "../changes/settle-unknown.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { operationTable } from "../api/operations.ts";
import { UserError } from "../errors.ts";
import { cleanLine } from "../logs/clean-line.ts";
import { redactLines } from "../logs/redact.ts";
import { draw } from "./draw.ts";
import { eventOf, logEvent } from "./event.ts";
import { openChange, type SealedChange } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";
import { stillAllowed } from "./still-allowed.ts";
import { tellAlone } from "./tell-alone.ts";
import { pauseUnless } from "./pause.ts";

type Carried = {
  readonly change: StoredChange;
  /** Whether what was read of the workload is seconds old, so that it need not be read again before it is sent. */
  readonly isFresh: boolean;
};

/**
 * Takes a Change on from wherever it stands: approved ones run, sent ones are settled, done ones are followed. Whoever
 * calls it twice, or on two replicas, harms nothing: each step is one conditional UPDATE.
 */
export async function carryOn(shell: Shell, carried: Carried, signal: AbortSignal): Promise<void> {
  await shell.underWay.once(carried.change.id, async () => {
    const { id } = carried.change;
    await settleState(shell, carried, signal);
    await draw(shell, id);
    await followHealth(shell, id, signal);
  });
}

async function settleState(shell: Shell, { change, isFresh }: Carried, signal: AbortSignal): Promise<void> {
  if (change.state === "approved") return run(shell, { change, isFresh }, signal);
  const isOpen = change.state === "claimed" || (change.state === "unknown" && change.settledAt === undefined);
  if (isOpen) return settleOpen(shell, change, signal);
}

type Opened = { readonly content: SealedChange; readonly account: OpenAccount };

async function open(shell: Shell, change: StoredChange): Promise<Opened> {
  const content = openChange(shell.sealer, change);
  const { teamId, requester, channelId } = change;
  const account = await shell.accounts.again(change.account, { teamId, userId: requester.userId, channelId });
  shell.calls.uses(account.username);
  return { content, account };
}

async function run(shell: Shell, { change, isFresh }: Carried, signal: AbortSignal): Promise<void> {
  const { store } = shell;
  let opened: Opened;
  try {
    opened = await open(shell, change);
    if (!isFresh) await stillAllowed(shell, { change, account: opened.account });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refuse(shell, change, { kind: "failed", why: error.message, next: error.next ?? "Ask again." });
  }
  const executed = await executeChange(opened.content.change, {
    ...apiOf(shell, opened, signal),
    ...guardOf(shell, change, signal),
    isFresh,
    resourcesKey: shell.settings.resourcesKey,
    doubt: async (outcome) => {
      const event = eventOf(shell, change, { kind: "unknown", result: wordsOf(outcome) });
      if ((await store.doubt(change.id, outcome, event)) === undefined) return;
      logEvent(shell, event);
      // Somebody waits: that it is being read back is said at once.
      shell.inflight.start(() => draw(shell, change.id));
    },
  });
  return record(shell, change, executed);
}

/** The claim, and the look at the clock right before the request leaves: a process that slept must not send. */
function guardOf(shell: Shell, change: StoredChange, signal: AbortSignal) {
  let claimedAt = Number.NEGATIVE_INFINITY;
  return {
    claim: async () => {
      const event = eventOf(shell, change, { kind: "claimed", result: "sent to the service" });
      const before = performance.now();
      const result = await shell.store.claim(change.id, event);
      if (result.kind === "claimed") {
        claimedAt = before;
        logEvent(shell, event);
      }
      return result.kind;
    },
    mayLeave: () => !signal.aborted && performance.now() - claimedAt < shell.store.sendWithinMs,
  };
}

async function record(shell: Shell, change: StoredChange, executed: Executed): Promise<void> {
  switch (executed.kind) {
    case "busy":
    case "lost":
      // Busy: the next sweep tries again. Lost: somebody else has it, and says how it ended.
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
  const event = eventOf(shell, change, { kind: "failed", result: `nothing was sent: ${wordsOf(outcome)}` });
  if ((await shell.store.refuse(change.id, outcome, event)) !== undefined) logEvent(shell, event);
}

async function settle(shell: Shell, change: StoredChange, outcome: Outcome): Promise<void> {
  const kind = outcome.kind === "asked" ? "done" : outcome.kind;
  const event = eventOf(shell, change, { kind, result: wordsOf(outcome) });
  if ((await shell.store.settle(change.id, outcome, event)) !== undefined) logEvent(shell, event);
}

/** One that was left behind by a replica that is gone: read back, never sent again. */
async function settleOpen(shell: Shell, change: StoredChange, signal: AbortSignal): Promise<void> {
  let opened: Opened;
  try {
    opened = await open(shell, change);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const why =
      "It may have been sent, and the workload cannot be read back: the account it was asked for with cannot be used any more.";
    return settle(shell, change, { kind: "unknown", after: "unread", why, next: "Look at the workload." });
  }
  const sentBy = (change.claimedAt ?? change.createdAt).getTime() + shell.store.sendWithinMs;
  const overAt = sentBy + operationTable[change.op].timeoutMs;
  const outcome = await settleUnknown(opened.content.change, {
    ...apiOf(shell, opened, signal),
    notBeforeMs: Math.max(0, overAt - shell.now().getTime()),
  });
  if (signal.aborted) return undefined;
  return settle(shell, change, outcome);
}

/** After a success, for half a minute: is it there, does it run? Not while the bot has to end; then others do. */
async function followHealth(shell: Shell, id: string, signal: AbortSignal): Promise<void> {
  const change = await shell.store.findChange(id);
  if (change === undefined || change.state !== "done" || change.health !== undefined || signal.aborted) return;
  const opened = await open(shell, change);
  const health = await watchHealth(opened.content.change, {
    ...apiOf(shell, opened, signal),
    nowMs: () => shell.now().getTime(),
    logZone: shell.settings.logZone,
    redact: (lines) => redactLines(lines.map(cleanLine)),
  });
  if (signal.aborted) return;
  const event = eventOf(shell, change, { kind: "health", result: health.line });
  const isNews = health.kind === "trouble";
  const followed = await shell.store.setHealth(id, health, isNews ? event : undefined);
  if (followed === undefined) return;
  if (isNews) logEvent(shell, event);
  if (isNews && followed.card === undefined) await tellAlone(shell, followed);
  await draw(shell, id);
}

function apiOf(shell: Shell, { account }: Opened, signal: AbortSignal) {
  return { api: shell.api.as(account), signal, wait: (ms: number) => pauseUnless(shell, signal, ms) };
}

function wordsOf(outcome: Outcome): string {
  return outcome.kind === "done" ? "took effect" : outcome.why;
}
