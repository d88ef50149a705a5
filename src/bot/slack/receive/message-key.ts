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
