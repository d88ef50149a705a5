import type { Clock } from "../../../platform/clock.ts";

/**
 * The delivery id of a message to the bot. Derived from the message, because Slack sends each edit as a new event. The
 * store keeps ids with this prefix for longer than edits are accepted (`prune.ts`).
 */
export function messageKey({
  teamId,
  channelId,
  ts,
}: {
  readonly teamId: string;
  channelId: string;
  ts: string;
}): string {
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
  const seen = new Map<string, number>();
  return {
    isRepeat(id) {
      const at = clock.now().getTime();
      const before = seen.get(id);
      if (before !== undefined && at - before < REMEMBER_MS) return true;
      seen.delete(id);
      seen.set(id, at);
      // Oldest first, as a Map keeps them; one in, at most two out keeps it bounded without a sweep.
      for (const [oldest, when] of seen) {
        if (seen.size <= MOST && at - when < REMEMBER_MS) break;
        seen.delete(oldest);
        if (seen.size <= MOST) break;
      }
      return false;
    },
  };
}
