import { WebAPIRateLimitedError } from "@slack/web-api";
import type { BackOff } from "../send/back-off.ts";
import { classify } from "../send/slack-error.ts";

/** Calls per minute by the tier that each method's page names: https://docs.slack.dev/apis/web-api/rate-limits */
const perMinute = {
  "usergroups.list": 20,
  "usergroups.users.list": 20,
  "users.info": 100,
  "conversations.members": 100,
} as const;

export type LookupMethod = keyof typeof perMinute;

/** Runs a lookup as soon as its method's rate tier allows. Throws Slack's own error when that takes too long. */
export type Pace = <Value>(method: LookupMethod, call: () => Promise<Value>) => Promise<Value>;

type Parts = {
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly backOff: BackOff;
};

const MINUTE_MS = 60_000;
/** People wait for lookups, and pickers have 1.5 s in all. */
const LONGEST_WAIT_MS = 1_000;

/** Keeps the lookups of this process within their rate tiers, and asks nothing while a 429's Retry-After runs. */
export function createPace({ nowMs, wait, backOff }: Parts): Pace {
  const calls = new Map<LookupMethod, readonly number[]>();
  const delayMs = (method: LookupMethod): number => {
    const now = nowMs();
    const recent = (calls.get(method) ?? []).filter((at) => at <= now && now - at < MINUTE_MS);
    calls.set(method, recent);
    const [oldest = now] = recent;
    const free = recent.length < perMinute[method] ? 0 : oldest + MINUTE_MS - now;
    return Math.max(free, backOff.remaining(method));
  };
  return async (method, call) => {
    const ms = delayMs(method);
    if (ms > 0 && ms <= LONGEST_WAIT_MS) await wait(ms);
    const leftMs = ms === 0 ? 0 : delayMs(method);
    if (leftMs > 0) throw new WebAPIRateLimitedError(Math.ceil(leftMs / 1_000));
    calls.set(method, [...(calls.get(method) ?? []), nowMs()]);
    try {
      return await call();
    } catch (error) {
      const { retryAfterMs } = classify(error);
      if (retryAfterMs !== undefined) backOff.start(method, retryAfterMs);
      throw error;
    }
  };
}
