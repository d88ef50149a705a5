import { randomUUID } from "node:crypto";
import { operationTable, type OperationId } from "../api/operations.ts";
import type { Clock } from "../platform/clock.ts";
import { orAborted, within } from "../platform/waiting.ts";
import { type Changes, type ChangesRequest, type Engine, type EngineRequest, Refusal } from "./engine.ts";

/** Whose list of which kind changed. */
export type ChangedList = { readonly username: string; readonly region: string; readonly kind: "service" | "job" };

/**
 * Tells which lists changed since a cursor, and nothing about how: whoever hears of it reads the list. So nothing is lost
 * when many changes come at once, or when the server restarts: a cursor of another process counts as a change of everything.
 */
export type ChangeFeed = {
  readonly note: (list: ChangedList) => void;
  /** Answers at once if something changed, else when it does or when the time is over. Throws a `Refusal` 429. */
  readonly read: (request: ChangesRequest) => Promise<Changes>;
  /** Answers all that wait. */
  readonly close: () => void;
};

/** Of one user; each is an open connection. */
const MOST_WAITING = 100;
/** A change seldom comes alone: an instance that ends, its restart, its status. */
const GATHER_MS = 200;

type Feed = { now: number; readonly last: Map<"service" | "job", number>; readonly listeners: Set<() => void> };

export function makeChangeFeed(clock: Clock): ChangeFeed {
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
    note({ username, region, kind }) {
      const feed = feedOf(username, region);
      feed.now += 1;
      feed.last.set(kind, feed.now);
      for (const tell of feed.listeners) tell();
    },
    async read({ username, region, after, waitMs, signal }) {
      const feed = feedOf(username, region);
      const cursor = (): string => `${epoch}.${feed.now}`;
      const seen = seenBy(after, epoch, feed.now);
      if (seen === undefined) return { cursor: cursor(), changed: ["service", "job"] };
      const count = waiting.get(username) ?? 0;
      if (count >= MOST_WAITING) {
        throw new Refusal(
          429,
          `${MOST_WAITING} requests of this user wait for changes already: end one of them first`,
          {
            retryAfterSeconds: 5,
          },
        );
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
  const entries = Object.entries(engine).map(([op, run]) => {
    if (operationTable[op as OperationId].effect === "read") return [op, run]; // the engine has the operations
    const kind = op.endsWith("Job") ? "job" : "service";
    const noted = async (request: EngineRequest<WriteOf>): Promise<unknown> => {
      const answer = await (run as (request: EngineRequest<WriteOf>) => Promise<unknown>)(request); // each takes its own
      feed.note({ username: request.user.username, region: request.path.region, kind });
      return answer;
    };
    return [op, noted];
  });
  return Object.fromEntries(entries) as Engine; // the same operations
}

type WriteOf = "createService" | "createJob";
