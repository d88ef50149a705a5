import { newsPost, type NewsPost } from "../../views/messages/request-answers.ts";
import { z } from "zod";
import { type News, newsKinds, newsRanks } from "../../changes/history-event.ts";
import { isNotifying, partsOf, type StoredChange } from "../../changes/stored-change.ts";
import { sentAgain } from "../../views/kit/post.ts";
import { isDirect } from "../origin.ts";
import type { WorkflowParts } from "../ports.ts";
import { contentOf, threadOf } from "../stored-request.ts";
import { inTime, over } from "./announcement.ts";
import { seenThere } from "./seen-there.ts";
import type { Beside, NewPost, PostKind, Unshown } from "../posts.ts";
import { isFollowed, seenOf } from "../../views/kit/health.ts";

/** The first poll is done by then, also after a kill, and one message reports the ending with it. Below half a minute. */
const POLL_WITHIN_MS = 22_000;

export type DueNews =
  | { readonly kind: "nothing" }
  | { readonly kind: "now"; readonly news: News }
  /** The card, or its ending, says it soon. */
  | { readonly kind: "soon"; readonly ms: number };

type Known = {
  /** Keys of messages that told the requester something the card doesn't show, among others. */
  readonly sentKeys: readonly string[];
  /** Now, by the clock of the Change's times. */
  readonly at: Date;
};

/** News that is due to the requester of a Change because its card doesn't show it. Pure. */
export function dueNews(change: StoredChange, { sentKeys, at }: Known): DueNews {
  const { card, createdAt, settledAt } = change;
  const news = newsOf(change);
  // The card has shown that it waits or runs.
  const known = Math.max(0, ...sentKeys.map((key) => (Object.hasOwn(newsRanks, key) ? newsRanks[key as News] : 0))); // a key, as just seen
  const isNew = newsRanks[news] > known && (card === undefined || newsRanks[news] > newsRanks.waiting);
  if (!isNew) return { kind: "nothing" };
  const ms =
    news === "running"
      ? left(CARD_WITHIN_MS.first, createdAt, at)
      : isWatched(change) && seenOf(change) === undefined && settledAt !== undefined
        ? left(POLL_WITHIN_MS, settledAt, at)
        : 0;
  return ms > 0 ? { kind: "soon", ms } : { kind: "now", news };
}

function left(withinMs: number, since: Date, at: Date): number {
  return withinMs - (at.getTime() - since.getTime());
}

export function newsOf(change: StoredChange): News {
  const { state, notice, settledAt, op, health } = change;
  if (state === "pending") return notice === undefined ? "waiting" : "returned";
  if (settledAt === undefined) return "running";
  if (op === "createJob" && state === "done") return health === undefined ? "running" : "after";
  return partsOf(change).some((part) => seenOf(part)?.kind === "trouble") ? "after" : "ended";
}

/** It was accepted, and its workload is still polled. */
export function isWatched(change: StoredChange): boolean {
  return change.state === "done" && change.health === undefined && isFollowed(change);
}

// News for a requester beside the card: what the card can't show, and the ending they asked to be notified of.

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const RESPONSE_URL_MS = 30 * 60_000;
/** By then, Slack usually takes a card that it refused at first. */
const CARD_WITHIN_MS = { first: 3_000, update: 10_000 };

const NewsJson = z.object({
  change: z.string(),
  news: z.enum(newsKinds),
  /** Why the card doesn't show it. */
  why: z
    .object({
      reason: z.string(),
      reference: z.string().optional(),
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
  /** The keys of a thread with all its replies. */
  readonly complete: readonly string[];
  readonly sentKeys: readonly string[];
  readonly unshown: Unshown | undefined;
};

/** The message that a requester gets now, beside a card that shows all of it, or can't. */
export function besideCard(
  { clock }: Pick<WorkflowParts, "clock">,
  { change, complete, sentKeys, unshown }: BesideCard,
): Beside | undefined {
  const { card, id, requester } = change;
  if (isNotifying(change)) {
    const ms = unshown?.why === "later" ? CARD_WITHIN_MS.update - unshown.lateMs : 0;
    if (ms > 0) return { kind: "soon", ms };
    const post = newsFor(change, { change: id, news: "asked", ...whyOf(unshown) }, requester.userId);
    return { kind: "tell", keys: ["asked"], posts: [post] };
  }
  if (unshown === undefined) return undefined;
  const { why, lateMs } = unshown;
  const due = dueNews(change, { sentKeys, at: clock.now() });
  // The card shows how it ended; nobody is notified of an edited card.
  if (due.kind === "nothing" || (why === "thread" && due.kind === "now" && due.news !== "after")) return undefined;
  // The app is refused everywhere: no message would reach them.
  if (why === "app" && card !== undefined) return undefined;
  const ms = Math.max(due.kind === "soon" ? due.ms : 0, why === "later" ? graceMs(change) - lateMs : 0);
  if (due.kind === "soon" || ms > 0) return { kind: "soon", ms };
  const { news } = due;
  const place = card !== undefined && (why === "message" || why === "later") ? card.channelId : requester.userId;
  const post = newsFor(change, { change: id, news, ...whyOf(unshown) }, place);
  // With an ending, the thread counts as complete: its replies would repeat the message.
  return { kind: "tell", keys: change.settledAt === undefined ? [news] : [news, ...complete], posts: [post] };
}

function graceMs({ card, settledAt }: StoredChange): number {
  if (card !== undefined) return CARD_WITHIN_MS.update;
  return settledAt === undefined ? CARD_WITHIN_MS.first : 0;
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
  // A request that was made in a conversation with the bot is answered there.
  const to = place === change.requester.userId && isDirect(channelId) ? channelId : place;
  return { kind: "requester", key: `${id} ${content.news}`, teamId, payload, place: to, fallback: undefined };
}

/**
 * Tries these ways until Slack takes one: beside the command, if there is no card; a direct message; the thread of the card; beside the
 * command again.
 */
export function requesterPost(deps: WorkflowParts): PostKind {
  const { clock, sealer, store } = deps;
  return async ({ place, teamId, blockedAt, sentKeys, ...post }) => {
    const payload = inTime(deps, post);
    if (payload === undefined || sentKeys.includes(ELSEWHERE)) return over;
    const content = NewsJson.parse(JSON.parse(payload));
    const { news } = content;
    const change = await store.find({ id: content.change });
    if (change === undefined || change.teamId !== teamId || isOutdated(news, change)) return over;
    const { card, requester } = change;
    const isAsked = news === "asked";
    const inThread = place === card?.channelId && !isDirect(place);
    const opened = contentOf(sealer, change);
    const isFresh = clock.now().getTime() - change.createdAt.getTime() <= RESPONSE_URL_MS;
    const isBesideCommand = isFresh && (blockedAt !== undefined || (card === undefined && !isAsked));
    const responseUrl = isBesideCommand && !inThread ? opened?.responseUrl : undefined;
    const there = await seenThere(deps, change, place);
    // A `response_url` leads to the channel of the command.
    const seen = there && responseUrl !== undefined ? await seenThere(deps, there.change, change.channelId) : there;
    if (seen === undefined) return { kind: "unknown" };
    const view = newsPost({ ...wordsOf(deps, seen.change, content), route: inThread ? "thread" : "alone" });
    const thread = threadOf(change, opened);
    // The notification they asked for goes to the thread only when the direct message was refused.
    const next = inThread ? (isAsked ? undefined : requester.userId) : isAsked ? card?.channelId : undefined;
    return {
      kind: "shown",
      card: async ({ isAgain }) => (isAgain ? sentAgain(view) : view),
      threadTs: inThread ? (thread ?? card.ts) : isDirect(place) ? thread : undefined,
      responseUrl,
      isAwaited: true,
      beside: (_sentKeys, unshown) =>
        elsewhere({ change, content, next, isFresh: isFresh && blockedAt === undefined }, unshown),
    };
  };
}

/** Key for a message whose news another one carries. */
const ELSEWHERE = "elsewhere";

type Elsewhere = {
  readonly change: StoredChange;
  readonly content: NewsJson;
  /** The place to tell it in, if this one takes nothing. */
  readonly next: string | undefined;
  /** The address of their command is still open, and wasn't tried. */
  readonly isFresh: boolean;
};

function elsewhere({ change, content, next, isFresh }: Elsewhere, unshown: Unshown | undefined): Beside | undefined {
  if (unshown === undefined) return undefined;
  const ms = unshown.why === "later" ? CARD_WITHIN_MS.update - unshown.lateMs : 0;
  if (next === undefined) return isFresh && unshown.why !== "later" ? { kind: "soon", ms: 1_000 } : undefined;
  if (ms > 0) return { kind: "soon", ms };
  return { kind: "tell", keys: [ELSEWHERE], posts: [newsFor(change, content, next)] };
}

function wordsOf(
  { people, settings }: WorkflowParts,
  change: StoredChange,
  { news, why }: NewsJson,
): Omit<NewsPost, "route"> {
  const { card, channelId } = change;
  const isAsked = news === "asked" && card !== undefined;
  const canInvite = why?.canInvite === true && !isDirect(channelId);
  return {
    change,
    defaultRegion: settings.region,
    isRunning: news === "running",
    isWatched: isWatched(change),
    isCardShown: why?.isThread === true,
    isAsked,
    ...(canInvite && !isAsked && { botName: people.bot().name }),
    ...(why && { reason: why.reason }),
    ...(why?.reference !== undefined && { reference: why.reference }),
  };
}

/** The card, or newer news, has replaced it. */
function isOutdated(news: News, change: StoredChange): boolean {
  if (news === "asked") return false;
  const isFirst = newsRanks[news] === newsRanks.waiting;
  return newsOf(change) !== news || (isFirst && change.card !== undefined);
}
