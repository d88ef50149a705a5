import type { StoredChange } from "../changes/stored-change.ts";
import { runWithoutCard } from "../views/run-without-card.ts";
import { openChange } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;

/** Where the bot may not post a card, only the person who asked learns how it ended, as long as Slack takes the answer. */
export async function tellAlone(shell: Shell, change: StoredChange): Promise<void> {
  const { sealer, settings, identity, poster } = shell;
  const { responseUrl } = openChange(sealer, change);
  if (responseUrl === undefined || shell.now().getTime() - change.createdAt.getTime() > RESPONSE_URL_MS) return;
  const { command, region: defaultRegion } = settings;
  const { requester, teamId, channelId } = change;
  const canInvite = !channelId.startsWith("D");
  const post = runWithoutCard({ change, command, defaultRegion, ...(canInvite && { botName: identity.botName() }) });
  await poster.tell(post, { userId: requester.userId, teamId, channelId, responseUrl });
}
