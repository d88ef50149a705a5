import { randomUUID } from "node:crypto";
import { operationTable } from "../api/operations.ts";
import type { Clock } from "../platform/clock.ts";
import { orAborted, within } from "../platform/waiting.ts";
import { type Changes, type ChangesRequest, type Engine, aroundEach, Refusal } from "./engine.ts";

/** Whose list of which kind changed. */
export type ChangedList = { readonly username: string; readonly region: string; readonly kind: "service" | "job" };

export type ChangeFeed = ReturnType<typeof makeChangeFeed>;

/** Of one user; each is an open connection. */
const MOST_WAITING = 100;
/** A change seldom comes alone: an instance that ends, its restart, its status. */
const GATHER_MS = 200;

type Feed = { now: number; readonly last: Map<"service" | "job", number>; readonly listeners: Set<() => void> };

/**
 * Tells which lists changed since a cursor, and nothing about how: whoever hears of it reads the list. So nothing is lost
 * when many changes come at once, or when the server restarts: a cursor of another process counts as a change of everything.
 */
export function makeChangeFeed(clock: Clock) {
  const epoch = randomUUID();
  const feeds = new Map<string, Feed>();
  const waiting = new Map<string, number>();
  const closing = new AbortController();
  const feedOf = (username: string, region: string): Feed => {
    const key = JSON.stringify([username, region]);
    const known = feeds.get(key) ?? { now: 0, last: new Map(), listeners: new Set() };
    feeds.set(key, known);
    return known;
  };
  return {
    note: ({ username, region, kind }: ChangedList) => {
      const feed = feedOf(username, region);
      feed.now += 1;
      feed.last.set(kind, feed.now);
      for (const tell of feed.listeners) tell();
    },
    /** Answers at once if something changed, else when it does or when the time is over. Throws a `Refusal` 429. */
    async read({ username, region, after, waitMs, signal }: ChangesRequest): Promise<Changes> {
      const feed = feedOf(username, region);
      const cursor = (): string => `${epoch}.${feed.now}`;
      const seen = seenBy(after, epoch, feed.now);
      if (seen === undefined) return { cursor: cursor(), changed: ["service", "job"] };
      const count = waiting.get(username) ?? 0;
      if (count >= MOST_WAITING) {
        const sentence = `${MOST_WAITING} requests of this user wait for changes already: end one of them first`;
        throw new Refusal(429, sentence, { retryAfterSeconds: 5 });
      }
      waiting.set(username, count + 1);
      try {
        const ends = AbortSignal.any([signal, closing.signal]);
        const isChanged = feed.now > seen || (await changeIn(feed, { waitMs, signal: ends, clock }));
        if (isChanged) await clock.sleep(GATHER_MS, ends).catch(() => undefined); // aborted
      } finally {
        waiting.set(username, (waiting.get(username) ?? 1) - 1);
      }
      return { cursor: cursor(), changed: [...feed.last].flatMap(([kind, at]) => (at > seen ? [kind] : [])) };
    },
    /** Answers all that wait. */
    close: () => closing.abort(),
  };
}

/** Undefined for a cursor of another process, or none. */
function seenBy(cursor: string | undefined, epoch: string, now: number): number | undefined {
  const [from, text = ""] = cursor?.split(".") ?? [];
  const seen = /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
  return from === epoch && seen !== undefined && seen <= now ? seen : undefined;
}

type Waiting = { readonly waitMs: number; readonly signal: AbortSignal; readonly clock: Pick<Clock, "after"> };

/** Whether a change came in time. */
async function changeIn({ listeners }: Feed, { waitMs, signal, clock }: Waiting): Promise<boolean> {
  const changed = Promise.withResolvers<true>();
  const tell = (): void => changed.resolve(true);
  listeners.add(tell);
  try {
    return await within(waitMs, orAborted(changed.promise, signal), () => false, clock);
  } catch {
    return false; // aborted
  } finally {
    listeners.delete(tell);
  }
}

/** The engine, which notes the list that a write changes once it is accepted. */
export function notingWrites(engine: Engine, feed: Pick<ChangeFeed, "note">): Engine {
  return aroundEach(engine, async (run, { op, request: { user, path } }) => {
    const answer = await run();
    const kind = op.endsWith("Job") ? "job" : "service";
    if (operationTable[op].effect === "write") feed.note({ username: user.username, region: path.region, kind });
    return answer;
  });
}
