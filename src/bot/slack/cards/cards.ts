import { createRefusals, type CardParts, createDrawLease, type Work, retireCard } from "./work.ts";
import type { Cards, Drawable } from "../../workflow/ports.ts";
import { tellRequester } from "./tell-requester.ts";
import type { HistoryEventKind } from "../../changes/history-event.ts";
import { type Card, isNotifying } from "../../changes/stored-change.ts";
import { diffReplies } from "../../views/cards/diff.ts";
import { excerptReply, storyReply } from "../../views/cards/change-story.ts";
import type { Post } from "../../views/kit/post.ts";
import { isProbablyDone, isTemporary, type SlackFailure } from "../send/slack-error.ts";
import { placeCard, type Placed, threadOf } from "./post-card.ts";
import { type Content, contentOf } from "../../workflow/stored-request.ts";

export function createCards(given: Omit<CardParts, "refusals">): Cards {
  const parts = { ...given, refusals: createRefusals() };
  return {
    draw: (changeId, known) => drawCard(parts, changeId, known),
    retire: (change, card) => retireCard(parts, change, card),
    async link({ card }) {
      if (card === undefined) return undefined;
      const link = await parts.messenger.permalink(card);
      return link.ok ? link.value : undefined;
    },
    tell: (changeId, when) => tellRequester(parts, changeId, when),
  };
}

/** The pause after a temporary failure; no replica tries again sooner. */
const TRY_AGAIN_MS = 5_000;
/** Longest wait after a lost answer: each retry may post one more message. */
const MOST_LOST_WAIT_MS = 60_000;
/** A running Change ends soon. */
const LOOK_AGAIN_MS = 1_000;
/** Shorter while a request is open: the requester must learn the outcome soon after its end. */
const OPEN_LOOK_MS = 15_000;
/** An archived channel may be reopened; its cards are then updated. */
const CLOSED_AGAIN_MS = 60_000;
const MOST_WAIT_MS = 60 * 60_000;
const CLOSED_FOR_MS = 24 * 60 * 60_000;

/**
 * Draws the card of a Change and posts news into its thread, until both are up to date. Any replica may call it at any
 * time; one draws. Never rejects because of Slack: a failed draw is repeated later.
 */
async function drawCard(parts: CardParts, changeId: string, known: Drawable = {}): Promise<boolean> {
  let { opened: content, drawing: ours } = known;
  for (;;) {
    const drawing = ours ?? (await parts.store.beginDrawing(changeId));
    // There is nothing to draw, or somebody else draws it.
    if (drawing === undefined) return false;
    ours = undefined;
    const lease = createDrawLease(parts.store, changeId, drawing.token);
    const open = (): Content | undefined => (content ??= contentOf(parts.sealer, drawing.change));
    const work = { ...drawing, content: open, lease };
    const placed = await placeCard(parts, work);
    if (!(await endDrawing(parts, work, placed))) return placed.kind === "placed";
  }
}

/** Stores what became of the drawing, and tells who has to know. True: there is more to draw. */
async function endDrawing(parts: CardParts, work: Work, placed: Placed): Promise<boolean> {
  switch (placed.kind) {
    case "lost":
      // The next replica to draw sees what we did.
      return false;
    case "later":
      return putOff(parts, work, placed);
    case "nowhere":
      return withoutCard(parts, work, placed.failure);
    case "closed":
      return waitForChannel(parts, work, placed);
    case "stuck":
      return endStuck(parts, work, placed);
    case "placed":
      return endInThread(parts, work, placed);
  }
}

async function putOff(
  { store, log }: CardParts,
  { change, token, posts }: Work,
  { failure, isPosted }: Extract<Placed, { kind: "later" }>,
): Promise<false> {
  log.warn({ changeId: change.id, ...logged(failure) }, "couldn't draw a card; retrying");
  const ms = isPosted ? Math.min(TRY_AGAIN_MS * 2 ** posts, MOST_LOST_WAIT_MS) : waitAfter(failure);
  await store.postponeDrawing(change.id, token, { ms, isPosted });
  return false;
}

function waitAfter({ retryAfterMs = 0 }: SlackFailure): number {
  return Math.max(TRY_AGAIN_MS, retryAfterMs);
}

/** Grows with time, so that a day holds about a hundred tries. */
function growing({ clock }: CardParts, since: Date, leastMs: number): number {
  return Math.min(Math.max(leastMs, (clock.now().getTime() - since.getTime()) / 10), MOST_WAIT_MS);
}

/** No card can be posted: only the requester is told, that it waits or runs and how it ended. */
async function withoutCard(parts: CardParts, work: Work, failure: SlackFailure): Promise<boolean> {
  const { change, token, newest } = work;
  const { store } = parts;
  const { id, version, settledAt, createdAt } = change;
  if (settledAt === undefined) {
    const leastMs = change.state === "pending" ? OPEN_LOOK_MS : LOOK_AGAIN_MS;
    const ms = Math.min(growing(parts, createdAt, leastMs), OPEN_LOOK_MS);
    await store.postponeDrawing(id, token, { ms, toldSeq: newest });
  } else {
    await store.markDrawn(id, { token, version, card: undefined, toldSeq: newest });
  }
  await tellRequester(parts, id, { isOverdue: false, failure, content: work.content });
  return false;
}

type Stuck = Extract<Placed, { kind: "closed" | "stuck" }>;

/** The card can't be updated now: only the requester is told, and the card is updated when possible. */
async function waitForChannel(parts: CardParts, work: Work, { card, failure }: Stuck): Promise<boolean> {
  const { change, token, newest } = work;
  const { store, log, clock } = parts;
  const { id, version, settledAt } = change;
  log.warn({ changeId: id, ...logged(failure) }, "can't update a card: its channel is closed to the bot");
  await tellRequester(parts, id, { isOverdue: false, failure, content: work.content });
  if (settledAt === undefined) {
    await store.postponeDrawing(id, token, { ms: OPEN_LOOK_MS });
    return false;
  }
  if (clock.now().getTime() - settledAt.getTime() > CLOSED_FOR_MS) {
    return store.markDrawn(id, { token, version, card, isShown: false, toldSeq: newest });
  }
  await store.postponeDrawing(id, token, { ms: growing(parts, settledAt, CLOSED_AGAIN_MS), toldSeq: newest });
  return false;
}

/** Slack won't update this version of the card: it stays as it was, and its thread and the requester learn the outcome. */
async function endStuck(parts: CardParts, work: Work, { card, failure }: Stuck): Promise<boolean> {
  const { id } = work.change;
  parts.log.error({ changeId: id, ...logged(failure) }, "a card can't be updated; its requester is told instead");
  const isMore = await endInThread(parts, work, { card, isStored: true, isShown: false });
  await tellRequester(parts, id, { isOverdue: false, failure, content: work.content });
  return isMore;
}

type ShownCard = { readonly card: Card; readonly isStored: boolean; readonly isShown?: boolean };

async function endInThread(parts: CardParts, work: Work, shown: ShownCard): Promise<boolean> {
  const { card, isStored, isShown = true } = shown;
  const { change, token, newest } = work;
  const { store } = parts;
  const replies = repliesFor(parts, work, isShown);
  if (!isStored && replies.length > 0) {
    const kept = await work.lease.keep(card);
    if (kept === "lost") await retireCard(parts, change, card);
    if (kept !== "held") return false;
  }
  const failure = await tellThread(parts, work, { card, replies });
  if (failure !== undefined && failure !== "lost") {
    if (isTemporary(failure)) {
      await store.postponeDrawing(change.id, token, { ms: waitAfter(failure) });
      return false;
    }
    // Nobody is notified of an edited card.
    if (isShown && hasEvent(work, "health")) {
      await tellRequester(parts, change.id, { isOverdue: false, failure, content: work.content, isCardShown: true });
    }
  }
  // If we lost the right to draw, the store schedules another update: ours may have overwritten a newer one.
  const toldSeq = failure === "lost" ? undefined : newest;
  const isMore = await store.markDrawn(change.id, { token, version: change.version, card, isShown, toldSeq });
  if (isShown && isNotifying(change))
    await tellRequester(parts, change.id, { isOverdue: false, content: work.content });
  if (isMore && !isStored && replies.length === 0) {
    // If another replica took over during the post, its card counts, and ours must not keep its buttons.
    const current = (await store.find({ id: change.id }))?.card;
    if (current !== undefined && current.ts !== card.ts) await retireCard(parts, change, card);
  }
  return isMore;
}

function hasEvent({ newEvents }: Work, wanted: HistoryEventKind): boolean {
  return newEvents.some(({ kind }) => kind === wanted);
}

/**
 * Replies for the thread: the story of a Change that people decide on; of any other, only that it is in trouble and why, and
 * that it got well.
 */
function repliesFor({ settings }: CardParts, work: Work, isShown: boolean): readonly Reply[] {
  const { change, newEvents } = work;
  // How a Change ended whose card can't show it is told to its requester, here if Slack takes it.
  const isToldAnyway = !isShown && change.settledAt !== undefined;
  const tellsStory = (change.terms !== undefined || change.breakGlass) && !isToldAnyway;
  const trouble = isToldAnyway ? [] : newEvents.filter(({ kind }) => kind === "health" || kind === "recovered");
  const story = storyReply(tellsStory ? newEvents : trouble, {
    change,
    defaultRegion: settings.region,
    isNotifying: isNotifying(change),
  });
  const all = tellsStory && hasEvent(work, "requested") ? diffReplies(change) : [];
  const isInTrouble = newEvents.some(({ kind, result }) => kind === "health" && result !== change.wayBackEnd?.why);
  const excerpt = isInTrouble ? excerptReply(change) : undefined;
  return [
    { key: "story", post: story },
    ...all.map((post, at) => ({ key: `changes ${at + 1}`, post })),
    { key: "excerpt", post: excerpt },
  ].flatMap(({ key, post }) => (post === undefined ? [] : [{ key, post }]));
}

/** A message for the thread; its key says which one of the same news it is. */
type Reply = { readonly key: string; readonly post: Post };

type Thread = { readonly card: Card; readonly replies: readonly Reply[] };

/**
 * Why the thread lacks something; after a temporary failure the rest of it waits. Undefined when it is complete. Each reply is
 * stored before the next one, or a thread that Slack takes one message at a time of would begin again for ever.
 */
async function tellThread(
  { messenger, log }: CardParts,
  { change, content, lease, newest, told }: Work,
  { card, replies }: Thread,
): Promise<SlackFailure | "lost" | undefined> {
  let refused: SlackFailure | undefined;
  let keys = told;
  for (const { key, post } of replies.filter(({ key }) => !told.includes(key))) {
    const isBegun = newest !== undefined && keys.length > told.length;
    if (!(await lease.extend(isBegun ? { upTo: newest, keys } : undefined))) return "lost";
    const channel = card.channelId;
    let posted = await messenger.post({ channel, threadTs: threadOf(change, content) ?? card.ts }, post, "card");
    if (!posted.ok && posted.failure.kind === "gone") {
      if (!(await lease.extend())) return "lost";
      posted = await messenger.post({ channel, threadTs: card.ts }, post, "card");
    }
    keys = [...keys, key];
    if (posted.ok) continue;
    log.warn({ changeId: change.id, ...logged(posted.failure) }, "couldn't continue a thread");
    // Only its answer was lost: a thread that had it twice would tell what happened twice.
    if (isProbablyDone(posted.failure)) continue;
    // Temporary: a later draw posts these events.
    if (isTemporary(posted.failure)) return posted.failure;
    refused = posted.failure;
  }
  return refused;
}

function logged({ reference, code: slackError }: SlackFailure) {
  return { reference, slackError };
}
