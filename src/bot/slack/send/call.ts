import { newReference } from "../../../platform/log.ts";
import { type WebClient, WebAPIRateLimitedError } from "@slack/web-api";
import type { Logger } from "pino";
import { boundedMap } from "../../../platform/bounded-map.ts";
import type { Clients, Urgency } from "./clients.ts";
import { classify, type FailureKind, isTemporary, LATE, type SlackFailure } from "./slack-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { WorkflowClock } from "../../workflow/ports.ts";

// A call to Slack: its attempts, what holds it back, and the log line when it failed.

export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: SlackFailure };

/** What calls to Slack are made with. */
export type CallParts = {
  readonly clients: Clients;
  readonly backOff: BackOff;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Logger;
  /** Ends the wait of the latest replacing call in progress, by method and target. */
  readonly latest: Map<string, () => void>;
  /** The last call that waited and is tried again, by method and target. */
  readonly retrying: Map<string, Promise<Result<unknown>>>;
};

export type Call<Value> = {
  readonly method: string;
  /** The channel, view or person it is for: a 429 holds back this method for this target only. */
  readonly target: string;
  readonly urgency: Urgency;
  /** `isAgain`: Slack may have done it in an attempt before. */
  readonly run: (client: WebClient, isAgain: boolean) => Promise<Value>;
  /** It replaces a whole view: a retry after a later call for the same view would bring back an older state. */
  readonly isReplacing?: true;
};

/** Attempts of a background call. */
const MOST_ATTEMPTS = 3;
const RETRY_AFTER_MS = [250, 1_000];
/** A background call that would have to wait longer fails. */
const LONGEST_WAIT_MS = 30_000;

/** Calls Slack once; in the background up to three times. Never rejects, and logs why it failed. */
export async function callSlack<Value>(parts: CallParts, call: Call<Value>): Promise<Result<Value>> {
  const key = keyOf(call);
  const { promise: superseded, resolve: supersede } = Promise.withResolvers<void>();
  if (call.isReplacing) {
    parts.latest.get(key)?.();
    parts.latest.set(key, supersede);
  }
  const isOutdated = (): boolean => call.isReplacing === true && parts.latest.get(key) !== supersede;
  const heldBackMs = parts.backOff[call.urgency === "card" ? "turn" : "remaining"](key);
  let result = await callOnce(parts, call, { heldBackMs, isAgain: false });
  if (heldBackMs === 0) parts.backOff.turnEnds(key);
  for (let attempts = 1; attempts < MOST_ATTEMPTS && !result.ok; attempts += 1) {
    const ms = call.urgency === "background" ? retryIn(result.failure, attempts) : undefined;
    if (ms === undefined) break;
    const isAgain = result.failure.mayBeDone;
    // A job that waits here takes one of its person's places in a lane.
    await Promise.race([parts.wait(ms), superseded]);
    if (isOutdated()) break;
    result = await callAgain(parts, call, isAgain);
  }
  if (!isOutdated()) parts.latest.delete(key);
  if (!result.ok) logFailure(parts.log, result.failure);
  return result;
}

/** Calls that waited for the same 429 go one after the other, and none asks Slack when the one before met another 429. */
function callAgain<Value>(parts: CallParts, call: Call<Value>, isAgain: boolean): Promise<Result<Value>> {
  const key = keyOf(call);
  const before = parts.retrying.get(key) ?? Promise.resolve(undefined);
  const again = before.then((ended) => {
    const isLimited = ended?.ok === false && ended.failure.kind === "limited";
    return callOnce(parts, call, { heldBackMs: isLimited ? parts.backOff.remaining(key) : 0, isAgain });
  });
  parts.retrying.set(key, again);
  return again.finally(() => {
    if (parts.retrying.get(key) === again) parts.retrying.delete(key);
  });
}

/** With `heldBackMs`, Slack is not asked: it would answer 429. */
async function callOnce<Value>(
  parts: CallParts,
  call: Call<Value>,
  { heldBackMs, isAgain }: { readonly heldBackMs: number; readonly isAgain: boolean },
): Promise<Result<Value>> {
  const { method, target, urgency, run } = call;
  try {
    if (heldBackMs > 0) throw new WebAPIRateLimitedError(heldBackMs / 1_000);
    return { ok: true, value: await run(parts.clients.of(urgency), isAgain) };
  } catch (error) {
    const failure = { method, target, reference: newReference(), ...classify(error) };
    if (heldBackMs === 0 && failure.retryAfterMs !== undefined) parts.backOff.start(keyOf(call), failure.retryAfterMs);
    return { ok: false, failure: { ...failure, mayBeDone: failure.mayBeDone || isAgain } };
  }
}

function keyOf({ method, target }: Call<unknown>): string {
  return `${method} ${target}`;
}

/** Undefined: a retry won't help, or could do it a second time. */
function retryIn({ kind, code, retryAfterMs = 0 }: SlackFailure, attempts: number): number | undefined {
  // After a timeout Slack may still have done it.
  if (code === LATE) return undefined;
  if (!isTemporary({ kind }) || retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return Math.max(retryAfterMs, RETRY_AFTER_MS[attempts - 1] ?? 0);
}

const levels: Readonly<Partial<Record<FailureKind, "info" | "error">>> = {
  superseded: "info",
  content: "error",
  ours: "error",
  token: "error",
  scope: "error",
  unknown: "error",
};

/** The one log line with the cause of a failed call, under the reference that people may be shown. */
export function logFailure(log: Logger, { method, target, code, kind, needed, reference }: SlackFailure): void {
  const data = { reference, method, target, slackError: code, kind, ...(needed !== undefined && { needed }) };
  log[levels[kind] ?? "warn"](data, "a call to Slack failed");
}

/** Calls that Slack asked us to hold back, with the time left. */
export type BackOff = {
  /** How long a call must still wait, in milliseconds; 0 when it may leave. */
  readonly remaining: (key: string) => number;
  readonly start: (key: string, ms: number) => void;
  /** Like `remaining`, for calls that are tried again later: of those that are due when a wait is over, only the first one asks Slack. */
  readonly turn: (key: string) => number;
  readonly turnEnds: (key: string) => void;
};

/** How long the others wait for its answer, at most. */
const TURN_MS = 5_000;

const MOST_KEYS = 1_000;

/** Keys are a method and its channel, view or person, so that one 429 holds back nothing else. */
export function createBackOff(clock: Pick<Clock, "now">): BackOff {
  type Wait = { readonly since: number; readonly ms: number };
  const waits = boundedMap<string, Wait>(MOST_KEYS);
  const turns = boundedMap<string, Wait>(MOST_KEYS);
  const leftOf = (all: typeof waits, key: string): number => {
    // Reading doesn't keep it: the one that began first is dropped first.
    const wait = all.peek(key);
    if (wait === undefined) return 0;
    const elapsed = clock.now().getTime() - wait.since;
    // A clock that was set back ends the wait: Slack answers 429 again if it was too early.
    if (elapsed >= 0 && elapsed < wait.ms) return wait.ms - elapsed;
    all.delete(key);
    return 0;
  };
  return {
    remaining: (key) => leftOf(waits, key),
    start: (key, ms) => void waits.set(key, { since: clock.now().getTime(), ms }),
    turn(key) {
      const wasHeldBack = waits.peek(key) !== undefined;
      const ms = Math.max(leftOf(waits, key), leftOf(turns, key));
      if (wasHeldBack && ms === 0) turns.set(key, { since: clock.now().getTime(), ms: TURN_MS });
      return ms;
    },
    turnEnds: (key) => void turns.delete(key),
  };
}

/** Pauses before something is sent again that Slack didn't take. Outages of some seconds are common. */
const AGAIN_AFTER_MS = [2_000, 5_000, 10_000];
/** Longest of these pauses, because it takes a place in a lane. */
const MOST_PATIENCE_MS = 120_000;

/** Tries until Slack takes it, for what nobody else would send: answers to reads, and Home. After a late answer it is there. */
export async function patiently<Value>(
  { wait }: Pick<WorkflowClock, "wait">,
  attempt: () => Promise<Result<Value>>,
): Promise<Result<Value>> {
  for (const ms of AGAIN_AFTER_MS) {
    const result = await attempt();
    if (result.ok || result.failure.code === LATE || !passesSoon(result.failure)) return result;
    await wait(Math.max(ms, Math.min(result.failure.retryAfterMs ?? 0, MOST_PATIENCE_MS)));
  }
  return attempt();
}

/** Also a token that is being renewed. */
function passesSoon(failure: SlackFailure): boolean {
  return isTemporary(failure) || failure.kind === "token";
}
