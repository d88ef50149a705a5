import { boundedMap } from "../../../platform/bounded-map.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Logger } from "pino";

type MessagePlace = Pick<Origin, "teamId" | "channelId"> & { readonly ts: string };

/**
 * The delivery id of a message to the bot. Derived from the message, because Slack sends each edit as a new event. The
 * store keeps ids with this prefix for longer than edits are accepted (`prune.ts`).
 */
export function messageKey({ teamId, channelId, ts }: MessagePlace): string {
  return `said:${teamId}:${channelId}:${ts}`;
}

/** Id of one event, which Slack may send again to another replica: https://docs.slack.dev/apis/events-api#retries */
export function eventKey(eventId: string): string {
  return `event:${eventId}`;
}

/** Id of the notice that edits aren't run; recording it makes the notice appear once. */
export function editNoticeKey(key: string): string {
  return `${key}:edit`;
}

const EDIT_WITHIN_MS = 7 * 24 * 60 * 60_000;

/** True for a message so old that nobody knows if it ran. `ts` is in seconds since 1970. */
export function isTooOldToRun(ts: string, nowMs: number): boolean {
  return nowMs - Number(ts) * 1_000 > EDIT_WITHIN_MS;
}

type Memory = {
  readonly store: { readonly isKnown: (id: string) => Promise<boolean> };
  readonly log: Pick<Logger, "warn">;
};

/** False where the database doesn't say: writes fail on it anyway and say so, and a repeated read is harmless. */
export async function wasStored({ store, log }: Memory, id: string, unchecked: string): Promise<boolean> {
  try {
    return await store.isKnown(id);
  } catch (err) {
    log.warn({ err }, unchecked);
    return false;
  }
}

export type Repeats = {
  /** Records the id. True if it also came in the last minutes. */
  readonly isRepeat: (id: string) => boolean;
};

/** Slack's last repetition of an event comes after about 5 minutes: https://docs.slack.dev/apis/events-api#retries */
const REMEMBER_MS = 10 * 60_000;
const MOST = 20_000;

/**
 * Ids of deliveries, in memory only: a read that is answered twice after a restart is harmless, and storing each one
 * would put a disk flush before every answer. Writes have their ids in the database as well.
 */
export function createRepeats(clock: Pick<Clock, "now">): Repeats {
  const seen = boundedMap<string, number>(MOST);
  return {
    isRepeat(id) {
      const at = clock.now().getTime();
      // Looking at an id doesn't make it newer: the first to come is the first to go.
      const before = seen.peek(id);
      if (before !== undefined && at - before < REMEMBER_MS) return true;
      seen.set(id, at);
      return false;
    },
  };
}

export type ArrivalTimes = {
  /** Remembers that Slack delivered something. */
  readonly remember: (body: unknown) => void;
  /** Remembers a request whose signature is wrong. */
  readonly rememberUnsigned: () => void;
  /** ISO 8601 times of the last ones by kind, since the start. */
  readonly last: () => Readonly<Partial<Record<Kind, string>>>;
  readonly unsigned: () => { readonly count: number; readonly last?: string };
};

type Kind = "command" | "click" | "event";

/** When something last arrived from Slack: of what stops arriving, people only notice silence. */
export function createArrivalTimes(clock: Pick<Clock, "now">): ArrivalTimes {
  const last: Partial<Record<Kind, string>> = {};
  let count = 0;
  let unsignedAt: string | undefined;
  return {
    remember: (body) => void (last[kindOf(body)] = clock.now().toISOString()),
    rememberUnsigned() {
      count += 1;
      unsignedAt = clock.now().toISOString();
    },
    last: () => ({ ...last }),
    unsigned: () => ({ count, ...(unsignedAt !== undefined && { last: unsignedAt }) }),
  };
}

/** "click" covers everything that people do with blocks and forms. */
function kindOf(body: unknown): Kind {
  if (typeof body !== "object" || body === null) return "click";
  if ("command" in body) return "command";
  return "event" in body ? "event" : "click";
}
