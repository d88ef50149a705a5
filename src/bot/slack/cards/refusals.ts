import { LRUCache } from "lru-cache";
import { isTemporary, type SlackFailure } from "../send/slack-error.ts";

/** What Slack refused of the card of a Change, and how often for a reason that may be ours. Kept per process. */
export type Refusals = {
  /** Notes a refusal. True while another attempt may work: false from the third one on, until `clear`. */
  readonly mayRetry: (changeId: string, failure: SlackFailure) => boolean;
  /** The last refusal since `clear`, if this process saw it. */
  readonly latest: (changeId: string) => SlackFailure | undefined;
  readonly clear: (changeId: string) => void;
};

const MOST_TRIES = 3;
const MOST_CHANGES = 1_000;

export function createRefusals(): Refusals {
  const refused = new LRUCache<string, { readonly tries: number; readonly failure: SlackFailure }>({
    max: MOST_CHANGES,
  });
  return {
    mayRetry(changeId, failure) {
      const isOurs = ["content", "ours", "unknown"].includes(failure.kind);
      const tries = (refused.get(changeId)?.tries ?? 0) + (isOurs ? 1 : 0);
      refused.set(changeId, { tries, failure });
      return isTemporary(failure) || (isOurs && tries < MOST_TRIES);
    },
    latest: (changeId) => refused.get(changeId)?.failure,
    clear: (changeId) => void refused.delete(changeId),
  };
}
