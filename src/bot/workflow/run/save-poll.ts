import { keeping } from "../../changes/execute.ts";
import { joined, type PollResult, promisesWayBack } from "../../changes/health.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { isLateHealth, oldOnesServe, overtakenWords, seenOf } from "../../views/kit/health.ts";
import { advance } from "../history.ts";
import { type Next, step } from "../lifecycle.ts";
import type { WorkflowParts } from "../ports.ts";
import type { Advanced } from "../stored.ts";
import type { Lease } from "./send.ts";

// Stores what a poll of a changed workload saw, and decides what of it is news for the card, its thread and history.

/** Whether its card changes, or the thread gets the reply that waits for the end of what wasn't seen to get well or to fail. */
export function isNews(change: StoredChange, { health, outcome, nextMs }: PollResult): boolean {
  const isOpenEnd = nextMs === undefined && health.kind === "not-yet";
  const isChanged = JSON.stringify(shownOf(health)) !== JSON.stringify(shownOf(seenOf(change)));
  return isOpenEnd || outcome !== undefined || isChanged;
}

function shownOf(seen: Health | undefined) {
  const { kind, level, outcome, gone, line, digest, startedAt, usual } = seen ?? {};
  return [kind, level, outcome, gone, line, digest, startedAt, usual, seen && stepOf(seen)];
}

const MINUTE_MS = 60_000;
/** Slack takes some 50 updates a minute, of all cards together: https://docs.slack.dev/reference/methods/chat.update */
const ELAPSED_MS = 10_000;

/** The card of a rollout shows how long it takes: every ten seconds in the first minute, then every minute. */
function stepOf({ kind, watch, afterMs = 0 }: Health): number | undefined {
  if (kind !== "watching" || watch?.rolling === undefined) return undefined;
  const stepMs = afterMs < MINUTE_MS ? ELAPSED_MS : MINUTE_MS;
  return stepMs * Math.floor(afterMs / stepMs);
}

/**
 * Stores a poll. History gets a row when the workload is first seen in trouble, and one when it recovers. Undefined: the lease was
 * lost to another replica.
 */
export async function savePoll(
  deps: WorkflowParts,
  { change, lease: { due } }: { readonly change: StoredChange; readonly lease: Lease },
  polled: PollResult,
): Promise<StoredChange | undefined> {
  const kept = withOutage(change, withPromise(change, polled));
  const { health, outcome, nextMs } = kept;
  const next: Next = nextMs === undefined ? "over" : { ms: nextMs };
  const turn = turnOf(change, health);
  if (outcome !== undefined) {
    const { ending } = change;
    const accepted = ending?.kind === "run" && ending.outcome.kind === "asked" ? ending.outcome : {};
    const progress = turn === undefined ? health : undefined;
    const isAll = nextMs !== undefined && turn === undefined;
    const shown = { due, next: isAll ? next : "kept", outcome: keeping(outcome, accepted), progress } as const; // a literal
    const confirmed = await advance(deps, change, { ...step("confirm", shown), result: "took effect" });
    if (confirmed.kind !== "moved" || isAll) return movedOf(confirmed);
  }
  if (turn !== undefined) {
    const seen = nextMs === undefined ? { due, next, health } : { due, next, progress: health };
    return movedOf(await advance(deps, change, { ...step(turn, seen), result: newsOf(change, health) }));
  }
  const isShown = isNews(change, kept);
  const seen =
    nextMs === undefined
      ? step("follow", { due, next, health, isNews: isShown })
      : step("observe", { due, next, progress: health, isNews: isShown });
  return movedOf(await deps.store.advance(change.id, seen, undefined));
}

/** The row of history that this poll adds: for the first trouble, for an outage that follows, or for the recovery. */
function turnOf(change: StoredChange, health: Health): "trouble" | "recover" | undefined {
  const { progress } = change;
  const { kind } = health;
  const wasInTrouble = progress?.kind === "trouble";
  if (kind === "trouble") return wasInTrouble && !isOutage(change, health) ? undefined : "trouble";
  return wasInTrouble && kind === "reached" && !isLateHealth(change) ? "recover" : undefined;
}

/** The first poll of a rollout in trouble that no longer sees the old instances serve. */
function isOutage({ progress }: Pick<StoredChange, "progress">, health: Health): boolean {
  if (progress?.kind !== "trouble" || health.kind !== "trouble" || progress.watch?.hadOutage === true) return false;
  return oldOnesServe(progress) && !oldOnesServe(health);
}

/** Old instances may come and go until the last poll: one outage is told. */
function withOutage(change: Pick<StoredChange, "progress">, polled: PollResult): PollResult {
  const { health } = polled;
  const hadOutage = change.progress?.watch?.hadOutage === true || isOutage(change, health);
  if (health.watch === undefined || !hadOutage) return polled;
  return { ...polled, health: { ...health, watch: { ...health.watch, hadOutage } } };
}

/** If the card promised a way back and none was begun, the last poll says so. */
function withPromise({ diff }: Pick<StoredChange, "diff">, polled: PollResult): PollResult {
  const { health, nextMs } = polled;
  const isOpen = (health.kind === "not-yet" || health.kind === "unwatched") && health.level !== "healthy";
  if (nextMs !== undefined || !isOpen || overtakenWords(health) !== undefined || !promisesWayBack(diff)) return polled;
  return { ...polled, health: { ...health, line: joined(health.line, "not rolled back: nobody watches it any more") } };
}

function movedOf(advanced: Advanced): StoredChange | undefined {
  return advanced.kind === "moved" ? advanced.change : undefined;
}

/** "web keeps crashing: exited with code 137", "web got healthy · 3 of 3 running for 30 s". */
function newsOf({ workload }: StoredChange, { kind, outcome: seen, line }: Health): string {
  const outcome = kind === "reached" ? "got healthy" : (seen ?? "isn't healthy");
  const what = /^(?:\d|the |its )/u.test(outcome) ? `${workload.name}: ${outcome}` : `${workload.name} ${outcome}`;
  return line === "" ? what : `${what} · ${line}`;
}
