import { isTemporary, type SlackFailure } from "../send/slack-error.ts";

/** How often Slack refused the card of a Change for a reason that may be ours. Kept per process. */
export type Refusals = {
  /** True while another attempt may work: false from the third refusal on, until `clear`. */
  readonly mayRetry: (changeId: string, failure: SlackFailure) => boolean;
  readonly clear: (changeId: string) => void;
};

const MOST_TRIES = 3;
const MOST_CHANGES = 1_000;

export function createRefusals(): Refusals {
  const tries = new Map<string, number>();
  return {
    mayRetry(changeId, failure) {
      if (isTemporary(failure)) return true;
      if (!["content", "ours", "unknown"].includes(failure.kind)) return false;
      const count = (tries.get(changeId) ?? 0) + 1;
      tries.delete(changeId);
      tries.set(changeId, count);
      const oldest = tries.keys().next().value;
      if (tries.size > MOST_CHANGES && oldest !== undefined) tries.delete(oldest);
      return count < MOST_TRIES;
    },
    clear: (changeId) => void tries.delete(changeId),
  };
}
