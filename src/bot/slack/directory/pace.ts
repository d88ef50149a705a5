import { WebAPIRateLimitedError } from "@slack/web-api";
import type { BackOff } from "../send/back-off.ts";
import { classify } from "../send/slack-error.ts";

export type LookupMethod = "usergroups.list" | "usergroups.users.list" | "conversations.members";

/** Runs a lookup, unless a 429's Retry-After runs. Throws Slack's own error when that takes too long. */
export type Pace = <Value>(method: LookupMethod, call: () => Promise<Value>) => Promise<Value>;

type Parts = {
  readonly wait: (ms: number) => Promise<void>;
  readonly backOff: BackOff;
};

/** People wait for lookups, and pickers have 1.5 s in all. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Slack's rate tiers are minimums, so it is asked until it answers 429, and not while that 429's Retry-After runs:
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
export function createPace({ wait, backOff }: Parts): Pace {
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
