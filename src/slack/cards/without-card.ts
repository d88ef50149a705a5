import type { StoredChange } from "../../changes/stored-change.ts";
import { runWithoutCard } from "../../views/cards/change-card.ts";
import { isDirect } from "../../workflow/origin.ts";
import { contentOf } from "../../workflow/sealed-change.ts";
import type { Shell } from "../../workflow/shell.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;
/** Whoever could not be told for so long finds it in history. */
const TELL_FOR_MS = 24 * 60 * 60_000;

/**
 * Where the bot may not post a card, only the person who asked learns how it ended: by the address of what they asked
 * with, and once that is over, or where there was none, in their conversation with the bot. False: it did not reach them,
 * and it is worth another try.
 */
export async function tellAlone(
  shell: Shell,
  change: StoredChange,
  place: { readonly canInvite: boolean } = { canInvite: true },
): Promise<boolean> {
  const { sealer, settings, identity, poster } = shell;
  const ageMs = shell.now().getTime() - change.createdAt.getTime();
  if (ageMs > TELL_FOR_MS) return true;
  const responseUrl = ageMs > RESPONSE_URL_MS ? undefined : contentOf(sealer, change)?.responseUrl;
  const { command, region: defaultRegion } = settings;
  const { requester, teamId, channelId } = change;
  const canInvite = place.canInvite && !isDirect(channelId);
  const post = runWithoutCard({ change, command, defaultRegion, ...(canInvite && { botName: identity.botName() }) });
  const { userId } = requester;
  const by = responseUrl === undefined ? { channelId: userId } : { channelId, responseUrl };
  return poster.reaches(post, { userId, teamId, ...by });
}
