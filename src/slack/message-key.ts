/**
 * The id of the delivery that a message to the bot is: Slack sends an edited message again as a new event, and only the
 * message itself stays the same. The store keeps ids that begin like this for longer than edits are taken (`prune.ts`).
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

/** Under this id it is noted that the author was told that edits are not run. */
export function editNoticeKey(key: string): string {
  return `${key}:edit`;
}

const EDIT_WITHIN_MS = 7 * 24 * 60 * 60_000;

/** Whether a message is so old that nobody may know any more what was done with it. A `ts` is seconds since 1970. */
export function isTooOldToRun(ts: string, nowMs: number): boolean {
  return nowMs - Number(ts) * 1_000 > EDIT_WITHIN_MS;
}
