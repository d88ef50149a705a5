import { z } from "zod";
import { isNotifying, type StoredChange } from "../../changes/stored-change.ts";
import { newsPost } from "../../views/cards/news-post.ts";
import { sentAgain } from "../../views/kit/post.ts";
import { dueNews, isWatched, newsOf } from "../news.ts";
import { isDirect } from "../origin.ts";
import type { WorkflowParts } from "../ports.ts";
import { contentOf, threadOf } from "../stored-request.ts";
import { TELL_FOR_MS } from "./announcement.ts";
import type { Beside, NewPost, PostKind, Unshown } from "./post.ts";

// What a requester is told beside the card of their request: what the card can't show them, and what they asked to be told of.

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;
/** Slack usually takes a card by then that it didn't take at first. */
const CARD_WITHIN_MS = { first: 3_000, update: 10_000 };

const NewsJson = z.object({
  change: z.string(),
  news: z.enum(["asked", "waiting", "running", "returned", "ended", "after"]),
  /** Why the card doesn't show it. */
  why: z
    .object({
      reason: z.string(),
      reference: z.string(),
      /** Only its thread takes nothing. */
      isThread: z.boolean(),
      /** An invitation of the bot helps. */
      canInvite: z.boolean(),
    })
    .optional(),
});
type NewsJson = z.infer<typeof NewsJson>;

type BesideCard = {
  readonly change: StoredChange;
  /** The keys of a thread that tells all. */
  readonly complete: readonly string[];
  readonly told: readonly string[];
  readonly unshown: Unshown | undefined;
};

/** What a requester is told now, when the card shows it, or doesn't. */
export function besideCard(
  { clock }: Pick<WorkflowParts, "clock">,
  { change, complete, told, unshown }: BesideCard,
): Beside | undefined {
  if (isNotifying(change) && !told.includes("asked")) {
    const post = newsFor(change, { change: change.id, news: "asked", ...whyOf(unshown) }, change.requester.userId);
    return { kind: "tell", told: ["asked"], post };
  }
  if (unshown === undefined || isNotifying(change)) return undefined;
  const { why, lateMs } = unshown;
  const owed = dueNews(change, { told, at: clock.now() });
  // The card shows how it ended; nobody is notified of an edited card.
  if (owed.kind === "nothing" || (why === "thread" && owed.kind === "now" && owed.news !== "after")) return undefined;
  // No way leads to them.
  if (why === "app" && change.card !== undefined) return undefined;
  const graceMs =
    change.card !== undefined ? CARD_WITHIN_MS.update : change.settledAt === undefined ? CARD_WITHIN_MS.first : 0;
  const waitMs = Math.max(owed.kind === "soon" ? owed.ms : 0, why === "later" ? graceMs - lateMs : 0);
  if (owed.kind === "soon" || waitMs > 0) return { kind: "soon", ms: waitMs };
  const { card, requester } = change;
  const place = card !== undefined && (why === "message" || why === "later") ? card.channelId : requester.userId;
  const { news } = owed;
  const post = newsFor(change, { change: change.id, news, ...whyOf(unshown) }, place);
  // What is told so isn't told once more in the thread.
  return { kind: "tell", told: change.settledAt === undefined ? [news] : [news, ...complete], post };
}

function whyOf(unshown: Unshown | undefined): Pick<NewsJson, "why"> {
  if (unshown === undefined) return {};
  const { why, refusal } = unshown;
  return { why: { ...refusal, isThread: why === "thread", canInvite: why === "invitation" } };
}

/** A message to the thread of the card, or to the requester by their id. */
function newsFor(change: StoredChange, content: NewsJson, place: string): NewPost {
  const { id, teamId, channelId } = change;
  const payload = JSON.stringify(content);
  // Where they asked in a conversation with the bot, there.
  const to = place === change.requester.userId && isDirect(channelId) ? channelId : place;
  return { kind: "requester", key: `${id} ${content.news}`, teamId, payload, place: to, fallback: undefined };
}

export function requesterPost({
  clock,
  people,
  sealer,
  settings,
  store,
}: Pick<WorkflowParts, "clock" | "people" | "sealer" | "settings" | "store">): PostKind {
  const over = { kind: "nothing", isOver: true } as const; // a literal kind
  return async ({ payload, place, teamId, createdAt, blockedAt }) => {
    const isLate = clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS;
    if (payload === undefined || isLate) return over;
    const content = NewsJson.parse(JSON.parse(payload));
    const change = await store.find({ id: content.change });
    if (change === undefined || change.teamId !== teamId || isOutdated(content.news, change)) return over;
    const { card, channelId, requester } = change;
    const inThread = place === card?.channelId && !isDirect(channelId);
    // They are told alone then.
    if (inThread && blockedAt !== undefined) return over;
    const opened = contentOf(sealer, change);
    const isFresh = clock.now().getTime() - change.createdAt.getTime() <= RESPONSE_URL_MS;
    const { why, news } = content;
    const canInvite = why?.canInvite === true && !isDirect(channelId);
    const view = newsPost({
      change,
      route: inThread ? "thread" : "alone",
      defaultRegion: settings.region,
      isRunning: news === "running",
      isWatched: isWatched(change),
      isCardShown: why?.isThread === true,
      isAsked: why === undefined && card !== undefined && isNotifying(change),
      ...(canInvite && { botName: people.bot().name }),
      ...(why && { reason: why.reason, reference: why.reference }),
    });
    const thread = threadOf(change, opened);
    return {
      kind: "shown",
      card: async ({ isAgain }) => (isAgain ? sentAgain(view) : view),
      threadTs: inThread ? (thread ?? card.ts) : isDirect(place) ? thread : undefined,
      responseUrl: card === undefined && news !== "asked" && isFresh ? opened?.responseUrl : undefined,
      beside: (_told, unshown) =>
        inThread && unshown !== undefined && unshown.why !== "later"
          ? { kind: "tell", told: ["alone"], post: newsFor(change, content, requester.userId) }
          : undefined,
    };
  };
}

/** Something newer is told by the card, or with other news. */
function isOutdated(news: NewsJson["news"], change: StoredChange): boolean {
  if (news === "asked") return false;
  const isFirst = news === "waiting" || news === "running";
  return newsOf(change) !== news || (isFirst && change.card !== undefined);
}
