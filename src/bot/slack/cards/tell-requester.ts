import { isNotifying, type StoredChange } from "../../changes/stored-change.ts";
import { newsPost, type NewsPost } from "../../views/cards/news-post.ts";
import { isWatched, type News, dueNews } from "../../workflow/news.ts";
import { isDirect } from "../../workflow/origin.ts";
import { type Content, contentOf } from "../../workflow/stored-request.ts";
import type { Result } from "../send/call.ts";
import { reasonFor, type SlackFailure } from "../send/slack-error.ts";
import type { CardParts } from "./work.ts";
import { threadOf } from "./post-card.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;
/** After this, a requester who couldn't be reached finds the outcome in history. A job may run for a day. */
const TELL_FOR_MS = 48 * 60 * 60_000;
const TELL_AGAIN_MS = 30_000;
const MOST_WAIT_MS = 60 * 60_000;
/** The first drawing of the card, or one that just began, gets this long. */
const CARD_COMES_MS = 1_500;

type TellReason = {
  /** Only what is overdue. Otherwise all that is owed: the card can't show it. */
  readonly isOverdue: boolean;
  /** Why the card doesn't show it, if that is known. */
  readonly failure?: SlackFailure;
  readonly content?: () => Content | undefined;
  /** The card shows it, and its thread, in which the requester is mentioned, takes nothing. */
  readonly isCardShown?: boolean;
};

/**
 * Tells the requester what they are owed and their card doesn't show, once, by the first route that Slack takes: the thread
 * of the card, their conversation with the bot, the response_url while it is valid. Without a card, first where they asked.
 * What they asked to be told of is told in their conversation with the bot first, whatever the card shows.
 * Nothing happens while another replica tells. Never rejects because of Slack: what reached nobody is told later.
 */
export async function tellRequester(parts: CardParts, changeId: string, why: TellReason): Promise<void> {
  const { store, log } = parts;
  const telling = await store.beginTelling(changeId, { isOverdue: why.isOverdue });
  if (telling === undefined) return undefined;
  const { change, at, isCardComing } = telling;
  const { id, version } = change;
  let { token } = telling;
  const isCardEnough = isCardComing && (why.isOverdue || change.card === undefined);
  if (isCardEnough) return store.postponeTelling(id, token, CARD_COMES_MS);
  const owed = dueNews(change, telling);
  if (owed.kind === "soon") return store.postponeTelling(id, token, owed.ms);
  const ageMs = at.getTime() - (change.settledAt ?? change.createdAt).getTime();
  const isLate = ageMs > TELL_FOR_MS;
  if (owed.kind === "nothing" || isLate) return store.markTold(id, { token, version, news: undefined });
  const { news } = owed;
  const failure = why.failure ?? parts.refusals.latest(id);
  for (const route of routesFor(parts, { ...why, ...(failure && { failure }), change, news, at })) {
    const reached = await route();
    if (reached.ok) return store.markTold(id, { token, version, news });
    const held = await store.holdTelling(id, token);
    // Another replica tells them now.
    if (held === undefined) return undefined;
    token = held;
  }
  log.warn({ changeId: id, news }, "couldn't tell a requester; retrying");
  return store.postponeTelling(id, token, Math.min(Math.max(TELL_AGAIN_MS, ageMs / 10), MOST_WAIT_MS));
}

type Telling = TellReason & { readonly change: StoredChange; readonly news: News; readonly at: Date };
type Route = () => Promise<Result<unknown>>;

function routesFor(parts: CardParts, telling: Telling): readonly Route[] {
  const { change, at } = telling;
  const { messenger } = parts;
  const { channelId, requester, card } = change;
  const content = (telling.content ?? (() => contentOf(parts.sealer, change)))();
  const postFor = (route: NewsPost["route"]) => newsPost({ ...wordsOf(parts, telling), route });
  const threadTs = content && threadOf(change, () => content);
  const direct: Route = () =>
    messenger.post(
      isDirect(channelId) ? { channel: channelId, threadTs } : { channel: requester.userId },
      postFor("alone"),
      "answer",
    );
  const isFresh = at.getTime() - change.createdAt.getTime() <= RESPONSE_URL_MS;
  const responseUrl = isFresh ? content?.responseUrl : undefined;
  const respond: readonly Route[] =
    responseUrl === undefined
      ? []
      : [
          () =>
            messenger.respond(responseUrl, postFor("alone"), { response_type: "ephemeral", replace_original: false }),
        ];
  const isAsked = isNotifying(change);
  if (card === undefined) return isAsked ? [direct, ...respond] : [...respond, direct];
  const inThread: Route = () =>
    messenger.post({ channel: card.channelId, threadTs: threadTs ?? card.ts }, postFor("thread"), "answer");
  const thread = isThreadOpen(telling) && telling.isCardShown !== true ? [inThread] : [];
  return isAsked ? [direct, ...thread, ...respond] : [...thread, direct, ...respond];
}

/** False: Slack would refuse a reply as it refused the update. */
function isThreadOpen({ failure }: TellReason): boolean {
  return failure === undefined || !["gone", "closed", "uninvited", "token", "scope"].includes(failure.kind);
}

function wordsOf(
  { settings, people }: CardParts,
  { change, news, failure, isCardShown = false }: Telling,
): Omit<NewsPost, "route"> {
  const canInvite = failure?.kind === "uninvited" && !isDirect(change.channelId);
  return {
    change,
    defaultRegion: settings.region,
    isRunning: news === "running",
    isWatched: isWatched(change),
    isCardShown,
    isAsked: failure === undefined && change.card !== undefined && isNotifying(change),
    ...(canInvite && { botName: people.bot().name }),
    ...(failure !== undefined && { reason: reasonFor(failure), reference: failure.reference }),
  };
}
