import type { StoredChange } from "../changes/stored-change.ts";
import { runWithoutCard } from "../views/run-without-card.ts";
import { isDirect } from "./place.ts";
import { contentOf } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;

/**
 * Where the bot may not post a card, only the person who asked learns how it ended, as long as Slack takes the answer.
 * False: it did not reach them, and it is worth another try.
 */
export async function tellAlone(shell: Shell, change: StoredChange): Promise<boolean> {
  const { sealer, settings, identity, poster } = shell;
  const responseUrl = contentOf(sealer, change)?.responseUrl;
  if (responseUrl === undefined || shell.now().getTime() - change.createdAt.getTime() > RESPONSE_URL_MS) return true;
  const { command, region: defaultRegion } = settings;
  const { requester, teamId, channelId } = change;
  const canInvite = !isDirect(channelId);
  const post = runWithoutCard({ change, command, defaultRegion, ...(canInvite && { botName: identity.botName() }) });
  return poster.reaches(post, { userId: requester.userId, teamId, channelId, responseUrl });
}
