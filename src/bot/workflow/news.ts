import { type News, newsRanks } from "../changes/history-event.ts";
import { partsOf, type StoredChange } from "../changes/stored-change.ts";
import { isFollowed, seenOf } from "../views/kit/health.ts";

/** Usually there is a card by then. */
const CARD_WITHIN_MS = 3_000;
/** The first poll is done by then, also after a kill, and one message reports the ending with it. Below half a minute. */
const POLL_WITHIN_MS = 22_000;

export type DueNews =
  | { readonly kind: "nothing" }
  | { readonly kind: "now"; readonly news: News }
  /** The card, or its ending, says it soon. */
  | { readonly kind: "soon"; readonly ms: number };

type Known = {
  /** Keys of messages that told the requester something the card doesn't show, among others. */
  readonly sentKeys: readonly string[];
  /** Now, by the clock of the Change's times. */
  readonly at: Date;
};

/** News that is due to the requester of a Change because its card doesn't show it. Pure. */
export function dueNews(change: StoredChange, { sentKeys, at }: Known): DueNews {
  const { card, createdAt, settledAt } = change;
  const news = newsOf(change);
  // The card has shown that it waits or runs.
  const known = Math.max(0, ...sentKeys.map((key) => (Object.hasOwn(newsRanks, key) ? newsRanks[key as News] : 0))); // a key, as just seen
  const isNew = newsRanks[news] > known && (card === undefined || newsRanks[news] > newsRanks.waiting);
  if (!isNew) return { kind: "nothing" };
  const ms =
    news === "running"
      ? left(CARD_WITHIN_MS, createdAt, at)
      : isWatched(change) && seenOf(change) === undefined && settledAt !== undefined
        ? left(POLL_WITHIN_MS, settledAt, at)
        : 0;
  return ms > 0 ? { kind: "soon", ms } : { kind: "now", news };
}

function left(withinMs: number, since: Date, at: Date): number {
  return withinMs - (at.getTime() - since.getTime());
}

export function newsOf(change: StoredChange): News {
  const { state, notice, settledAt, op, health } = change;
  if (state === "pending") return notice === undefined ? "waiting" : "returned";
  if (settledAt === undefined) return "running";
  if (op === "createJob" && state === "done") return health === undefined ? "running" : "after";
  return partsOf(change).some((part) => seenOf(part)?.kind === "trouble") ? "after" : "ended";
}

/** It was accepted, and its workload is still polled. */
export function isWatched(change: StoredChange): boolean {
  return change.state === "done" && change.health === undefined && isFollowed(change);
}
