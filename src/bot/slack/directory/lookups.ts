import { WebAPIRateLimitedError } from "@slack/web-api";
import type { BackOff } from "../send/call.ts";
import { classify } from "../send/slack-error.ts";
import type { Clock } from "../../../platform/clock.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";

// How Slack is asked about people, groups and channels: no faster than it allows, and not twice for one answer.

export type LookupMethod = "usergroups.list" | "usergroups.users.list" | "conversations.members";

/** Runs a lookup, unless a 429's Retry-After runs. Throws Slack's own error when that takes too long. */
export type Pace = <Value>(method: LookupMethod, call: () => Promise<Value>) => Promise<Value>;

/** People wait for lookups, and pickers have 1.5 s in all. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Slack's rate tiers are minimums, so it is asked until it answers 429, and not while that 429's Retry-After runs:
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
export function createPace({
  wait,
  backOff,
}: {
  readonly wait: (ms: number) => Promise<void>;
  readonly backOff: BackOff;
}): Pace {
  return async (method, call) => {
    const ms = backOff.remaining(method);
    if (ms > LONGEST_WAIT_MS) throw new WebAPIRateLimitedError(Math.ceil(ms / 1_000));
    if (ms > 0) await wait(ms);
    try {
      return await call();
    } catch (error) {
      const { retryAfterMs } = classify(error);
      if (retryAfterMs !== undefined) backOff.start(method, retryAfterMs);
      throw error;
    }
  };
}

export type Memo<Value> = {
  /**
   * A value read less than `maxAgeMs` ago, else a new one. Concurrent reads of one key share a call that began less than
   * `maxAgeMs` ago.
   */
  readonly get: (key: string, maxAgeMs: number) => Promise<Value>;
  /** The last value, if it was read less than `maxAgeMs` ago. */
  readonly known: (key: string, maxAgeMs: number) => Value | undefined;
  /** Whether such a call is under way. */
  readonly isReading: (key: string, maxAgeMs: number) => boolean;
};

const MOST = 5_000;

/** Caches a slow read. Failures are not cached. */
export function createMemo<Value>(read: (key: string) => Promise<Value>, clock: Pick<Clock, "now">): Memo<Value> {
  const nowMs = (): number => clock.now().getTime();
  const kept = boundedMap<string, { readonly value: Value; readonly at: number }>(MOST);
  const reading = new Map<string, { readonly value: Promise<Value>; readonly at: number }>();
  const known = (key: string, maxAgeMs: number): Value | undefined => {
    const last = kept.get(key);
    return last !== undefined && nowMs() - last.at < maxAgeMs ? last.value : undefined;
  };
  const underWay = (key: string, maxAgeMs: number): Promise<Value> | undefined => {
    const call = reading.get(key);
    return call !== undefined && nowMs() - call.at < maxAgeMs ? call.value : undefined;
  };
  // The age counts from before the call: Slack may have read its data at once and answered late.
  const readNow = async (key: string, at: number): Promise<Value> => {
    try {
      const value = await read(key);
      // An older call may end after a newer one.
      if ((kept.get(key)?.at ?? at) <= at) kept.set(key, { value, at });
      return value;
    } finally {
      if (reading.get(key)?.at === at) reading.delete(key);
    }
  };
  return {
    known,
    isReading: (key, maxAgeMs) => underWay(key, maxAgeMs) !== undefined,
    async get(key, maxAgeMs) {
      const last = known(key, maxAgeMs);
      if (last !== undefined) return last;
      const shared = underWay(key, maxAgeMs);
      if (shared !== undefined) return shared;
      const at = nowMs();
      const value = readNow(key, at);
      reading.set(key, { value, at });
      return value;
    },
  };
}
