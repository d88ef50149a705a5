import { WebAPIRateLimitedError, type WebClient } from "@slack/web-api";
import type { Clock } from "../../../platform/clock.ts";
import { unawaited } from "../../../platform/waiting.ts";
import { classify } from "../send/slack-error.ts";

/** A user as Slack sent it, and when it was asked for. */
export type Seen = { readonly user: unknown; readonly atMs: number };

export type Page = { readonly seen: readonly Seen[]; readonly next: string | undefined };

/** Reads user objects. Each rejects with the Web API client's errors. */
export type UserReader = {
  /**
   * A user as Slack knows them at `sinceMs` or later. While Slack answers 429 it waits; people who act go first, and the
   * last places are for them. Rejects as rate limited when the queue is full or the wait would be too long.
   */
  readonly read: (userId: string, sinceMs: number, isActing: boolean) => Promise<Seen>;
  /** The same at once or not at all. */
  readonly readNow: (userId: string) => Promise<Seen>;
  /** A page of everybody. It also serves those who wait. */
  readonly page: (cursor: string | undefined) => Promise<Page>;
};

type Parts = {
  readonly client: WebClient;
  readonly clock: Pick<Clock, "now">;
  readonly wait: (ms: number) => Promise<void>;
  /** Called with each page that was read, before those who wait are answered. */
  readonly onPage: (seen: readonly Seen[]) => void;
};

type Wanted = {
  readonly userId: string;
  /** Who came first is asked for first. */
  readonly number: number;
  readonly answer: PromiseWithResolvers<Seen>;
  sinceMs: number;
  isActing: boolean;
  waitedMs: number;
  isDone: boolean;
};

/** Calls of `users.info` under way. */
const AT_ONCE = 20;
/** Of those who wait while Slack answers 429; otherwise their turn comes within moments. */
const MOST_WAITING = 300;
const KEPT_FOR_ACTING = 100;
const MOST_MOVING = 5_000;
/** Slack's Retry-After is at most a minute as a rule; twice that wouldn't be an answer. */
const LONGEST_WAIT_MS = 90_000;
/** From so many on, a page of `users.list` is quicker than a call for each. */
const MANY = 20;
/** https://docs.slack.dev/reference/methods/users.list recommends 200. */
const PAGE = 200;
/** Of one pass through the list, of 20 calls a minute. Larger workspaces are read one by one. */
const MOST_PAGES = 10;
const LIST_RESTS_MS = 60_000;

/**
 * Slack's rate tiers are minimums, so it is asked until it answers 429:
 * https://docs.slack.dev/apis/web-api/rate-limits. Nothing is asked while that 429's Retry-After runs.
 */
export function createUserReader({ client, clock, wait, onPage }: Parts): UserReader {
  const nowMs = (): number => clock.now().getTime();
  const waiting = new Map<string, Wanted>();
  const asked = new Map<string, { readonly wanted: Wanted; readonly atMs: number }>();
  let underWay = 0;
  let last = 0;
  let infoHeldUntilMs = 0;
  let listHeldUntilMs = 0;
  let isListing = false;

  const heldMs = (): number => Math.max(0, infoHeldUntilMs - nowMs());

  const done = (wanted: Wanted): Wanted["answer"] => {
    wanted.isDone = true;
    if (waiting.get(wanted.userId) === wanted) waiting.delete(wanted.userId);
    return wanted.answer;
  };

  /** Those who would wait too long are told now. */
  const charge = (wanted: Wanted, ms: number): void => {
    wanted.waitedMs += ms;
    if (wanted.waitedMs > LONGEST_WAIT_MS) done(wanted).reject(limited(ms));
  };

  const hold = (ms: number): void => {
    const isHeld = heldMs() > 0;
    infoHeldUntilMs = Math.max(infoHeldUntilMs, nowMs() + ms);
    if (isHeld) return;
    for (const wanted of waiting.values()) charge(wanted, ms);
    // Nobody waits longer, so nothing has to begin again by itself.
    if (ms > LONGEST_WAIT_MS) return;
    const goOn = (): void => {
      infoHeldUntilMs = 0;
      pump();
    };
    unawaited(wait(ms).then(goOn, goOn));
  };

  /** Who may be asked about now. */
  const next = (): Wanted | undefined => {
    if (underWay >= AT_ONCE || heldMs() > 0) return undefined;
    const all = [...waiting.values()].toSorted((a, b) => a.number - b.number);
    return all.find(({ isActing }) => isActing) ?? all[0];
  };

  const waitAgain = (wanted: Wanted): void => {
    if (wanted.isDone) return;
    const newer = waiting.get(wanted.userId);
    if (newer !== undefined) unawaited(newer.answer.promise.then(wanted.answer.resolve, wanted.answer.reject));
    else {
      waiting.set(wanted.userId, wanted);
      charge(wanted, heldMs());
    }
  };

  const info = async (userId: string): Promise<Seen> => {
    const atMs = nowMs();
    try {
      return { user: (await client.users.info({ user: userId })).user, atMs };
    } catch (error) {
      const { retryAfterMs } = classify(error);
      if (retryAfterMs !== undefined) hold(retryAfterMs);
      throw error;
    }
  };

  const ask = async (wanted: Wanted): Promise<void> => {
    underWay += 1;
    const call = { wanted, atMs: nowMs() };
    asked.set(wanted.userId, call);
    try {
      const seen = await info(wanted.userId);
      done(wanted).resolve(seen);
    } catch (error) {
      if (classify(error).kind === "limited") waitAgain(wanted);
      else done(wanted).reject(error);
    } finally {
      underWay -= 1;
      if (asked.get(wanted.userId) === call) asked.delete(wanted.userId);
      pump();
    }
  };

  const pump = (): void => {
    // `ask` counts itself before it waits.
    for (let wanted = next(); wanted !== undefined; wanted = next()) {
      waiting.delete(wanted.userId);
      unawaited(ask(wanted), (error) => done(wanted).reject(error));
    }
    if (!isListBetter() || isListing || nowMs() < listHeldUntilMs) return;
    isListing = true;
    const goOn = (): void => {
      isListing = false;
      pump();
    };
    unawaited(readList().then(goOn, goOn));
  };

  // Who would wait for a minute may be on the next page.
  const isListBetter = (): boolean => waiting.size >= (heldMs() > 0 ? 1 : MANY);

  const readList = async (): Promise<void> => {
    const newest = last;
    let isInVain = true;
    try {
      let cursor: string | undefined;
      for (let pages = 0; pages < MOST_PAGES && isListBetter(); pages += 1) {
        ({ next: cursor } = await page(cursor));
        if (cursor === undefined) break;
      }
      isInVain = [...waiting.values()].some(({ number }) => number <= newest);
    } finally {
      // Those who aren't on it are asked for one by one, and so is everybody after an error.
      if (isInVain) listHeldUntilMs = Math.max(listHeldUntilMs, nowMs() + LIST_RESTS_MS);
    }
  };

  const page = async (cursor: string | undefined): Promise<Page> => {
    const atMs = nowMs();
    if (atMs < listHeldUntilMs) throw limited(listHeldUntilMs - atMs);
    try {
      const { members = [], response_metadata } = await client.users.list({ limit: PAGE, ...(cursor && { cursor }) });
      const seen = members.map((user) => ({ user, atMs }));
      onPage(seen);
      for (const { user } of seen) {
        // A call that is under way may still be answered with 429.
        for (const wanted of [waiting.get(user.id ?? ""), asked.get(user.id ?? "")?.wanted]) {
          if (wanted !== undefined && atMs >= wanted.sinceMs) done(wanted).resolve({ user, atMs });
        }
      }
      return { seen, next: response_metadata?.next_cursor || undefined };
    } catch (error) {
      const { retryAfterMs } = classify(error);
      if (retryAfterMs !== undefined) listHeldUntilMs = Math.max(listHeldUntilMs, nowMs() + retryAfterMs);
      throw error;
    }
  };

  return {
    read(userId, sinceMs, isActing) {
      const underway = asked.get(userId);
      if (underway !== undefined && underway.atMs >= sinceMs) return underway.wanted.answer.promise;
      const known = waiting.get(userId);
      if (known !== undefined) {
        known.isActing ||= isActing;
        known.sinceMs = Math.max(known.sinceMs, sinceMs);
        return known.answer.promise;
      }
      const places = heldMs() === 0 ? MOST_MOVING : MOST_WAITING - (isActing ? 0 : KEPT_FOR_ACTING);
      if (waiting.size >= places) return Promise.reject(limited(Math.max(heldMs(), 1_000)));
      last += 1;
      const answer = Promise.withResolvers<Seen>();
      const wanted = { userId, number: last, answer, sinceMs, isActing, waitedMs: 0, isDone: false };
      waiting.set(userId, wanted);
      charge(wanted, heldMs());
      pump();
      return answer.promise;
    },
    async readNow(userId) {
      if (heldMs() > 0) throw limited(heldMs());
      return info(userId);
    },
    page,
  };
}

function limited(ms: number): WebAPIRateLimitedError {
  return new WebAPIRateLimitedError(Math.ceil(ms / 1_000));
}
