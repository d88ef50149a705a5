import { partsOf, type StoredChange } from "../changes/stored-change.ts";
import { isFollowed, seenOf } from "../views/kit/health.ts";

/**
 * What a requester has to learn, in the order in which it happens: that the request waits or runs, that it waits again, its
 * ending, and what became of the workload afterwards: trouble, or the end of a job.
 */
const ranks = { waiting: 1, running: 1, returned: 2, ended: 3, after: 4 } as const; // the literal names
export type News = keyof typeof ranks;
export const newsKinds = Object.keys(ranks) as [News, ...News[]]; // its keys

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
  /** What the requester was told by another way than the card, among others. */
  readonly told: readonly string[];
  /** Now, by the clock of the Change's times. */
  readonly at: Date;
};

/** What the requester of a Change is owed if its card doesn't show it. Pure. */
export function dueNews(change: StoredChange, { told, at }: Known): DueNews {
  const { card, createdAt, settledAt } = change;
  const news = newsOf(change);
  // With a card they saw that it was requested.
  const known = Math.max(0, ...told.map((key) => (Object.hasOwn(ranks, key) ? ranks[key as News] : 0))); // a key, as just seen
  const isNew = ranks[news] > known && (card === undefined || ranks[news] > ranks.waiting);
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
