import type { StoredChange } from "../../changes/stored-change.ts";
import { runWithoutCard } from "../../views/cards/change-card.ts";
import { isDirect } from "../../workflow/origin.ts";
import { reasonFor, type SlackFailure } from "../send/slack-error.ts";
import type { CardDeps } from "./cards.ts";
import { type Content, contentOf } from "../../workflow/stored-request.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;
/** After this, a requester who couldn't be reached finds the outcome in history. */
const TELL_FOR_MS = 24 * 60 * 60_000;

type Untold = {
  readonly change: StoredChange;
  /** Why there is no card that shows it. */
  readonly failure?: SlackFailure;
  readonly content?: () => Content | undefined;
};

/**
 * Where the bot can't post or update a card, tells only the requester: by the response_url of the request while it is
 * valid, else in their conversation with the bot. False: it didn't reach them, and a retry is worthwhile. Never rejects.
 */
export async function tellRequester(deps: CardDeps, { change, failure, content }: Untold): Promise<boolean> {
  const { settings, people, responder, clock } = deps;
  const ageMs = clock.now().getTime() - change.createdAt.getTime();
  if (ageMs > TELL_FOR_MS) return true;
  const opened = content ?? (() => contentOf(deps.sealer, change));
  const responseUrl = ageMs > RESPONSE_URL_MS ? undefined : opened()?.responseUrl;
  const { region: defaultRegion } = settings;
  const { requester, teamId, channelId } = change;
  const canInvite = (failure === undefined || failure.kind === "uninvited") && !isDirect(channelId);
  const hint = canInvite ? { botName: people.bot().name } : failure && { reason: reasonOf(failure) };
  const post = runWithoutCard({ change, defaultRegion, ...hint });
  const { userId } = requester;
  const by = responseUrl === undefined ? { channelId: userId } : { channelId, responseUrl };
  return responder.tell(post, { userId, teamId, ...by });
}

function reasonOf(failure: SlackFailure): string {
  return `Only you see this: ${reasonFor(failure)}. Reference \`${failure.reference}\`.`;
}
