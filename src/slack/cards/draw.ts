import type { HistoryEventKind } from "../../changes/history-event.ts";
import type { Card } from "../../changes/stored-change.ts";
import { diffReplies } from "../../views/cards/diff.ts";
import { excerptReply, storyReply } from "../../views/cards/change-story.ts";
import type { Post } from "../../views/kit/message.ts";
import { isTemporary, type SlackFailure } from "../send/slack-error.ts";
import type { DrawDeps } from "./cards.ts";
import { placeCard, type Placed, threadOf } from "./post-card.ts";
import { retireCard } from "./retire.ts";
import { tellRequester } from "./tell-requester.ts";
import { createRight, type Work } from "./work.ts";
import type { Drawable } from "../../workflow/drawable.ts";
import { type Content, contentOf } from "../../workflow/stored-request.ts";

/** The pause after a temporary failure; no replica tries again sooner. */
const TRY_AGAIN_MS = 5_000;
/** Longest wait after a lost answer: each retry may post one more message. */
const MOST_LOST_WAIT_MS = 60_000;
/** A running Change ends soon. */
const LOOK_AGAIN_MS = 1_000;
/** Shorter while a request is open: the requester must learn the outcome soon after its end. */
const OPEN_LOOK_MS = 15_000;
const TELL_AGAIN_MS = 30_000;
/** An archived channel may be reopened; its cards are then updated. */
const CLOSED_AGAIN_MS = 60_000;
const MOST_WAIT_MS = 60 * 60_000;
const CLOSED_FOR_MS = 24 * 60 * 60_000;

/**
 * Draws the card of a Change and posts news into its thread, until both are up to date. Any replica may call it at any
 * time; one draws. Never rejects because of Slack: a failed draw is repeated later.
 */
export async function drawCard(deps: DrawDeps, changeId: string, known: Drawable = {}): Promise<void> {
  let { opened: content, drawing: ours } = known;
  for (;;) {
    const drawing = ours ?? (await deps.store.beginDrawing(changeId));
    if (drawing === undefined) return;
    ours = undefined;
    const right = createRight(deps.store, changeId, drawing.token);
    const open = (): Content | undefined => (content ??= contentOf(deps.sealer, drawing.change));
    if (!(await drawOnce(deps, { ...drawing, content: open, right }))) return;
  }
}

/** True: there is more to draw. */
async function drawOnce(deps: DrawDeps, work: Work): Promise<boolean> {
  const placed = await placeCard(deps, work);
  switch (placed.kind) {
    case "lost":
      // The next replica to draw sees what we did.
      return false;
    case "later":
      return putOff(deps, work, placed);
    case "nowhere":
      return withoutCard(deps, work, placed.failure);
    case "closed":
      return waitForChannel(deps, work, placed);
    case "stuck":
      return endStuck(deps, work, placed);
    case "placed":
      return endInThread(deps, work, placed);
  }
}

async function putOff(
  { store, log }: DrawDeps,
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
function growing({ clock }: DrawDeps, since: Date, leastMs: number): number {
  return Math.min(Math.max(leastMs, (clock.now().getTime() - since.getTime()) / 10), MOST_WAIT_MS);
}

/** No card can be posted: tells only the requester, that it waits and how it ended. */
async function withoutCard(deps: DrawDeps, work: Work, failure: SlackFailure): Promise<boolean> {
  const { change, token, newest } = work;
  const { store } = deps;
  if (change.settledAt === undefined && change.state !== "pending") {
    const ms = Math.min(growing(deps, change.createdAt, LOOK_AGAIN_MS), OPEN_LOOK_MS);
    await store.postponeDrawing(change.id, token, { ms });
    return false;
  }
  const isNews = change.settledAt !== undefined || hasEvent(work, "requested") || hasEvent(work, "returned");
  if (isNews && !(await tellRequester(deps, { change, failure, content: work.content }))) {
    await store.postponeDrawing(change.id, token, { ms: growing(deps, change.createdAt, TELL_AGAIN_MS) });
    return false;
  }
  if (change.settledAt !== undefined) {
    return store.drew(change.id, { token, version: change.version, card: undefined, toldSeq: newest });
  }
  await store.postponeDrawing(change.id, token, { ms: OPEN_LOOK_MS, toldSeq: newest });
  return false;
}

type Stuck = Extract<Placed, { kind: "closed" | "stuck" }>;

/** The card can't be updated now: tells only the requester the outcome, once, and updates the card when possible. */
async function waitForChannel(deps: DrawDeps, work: Work, { card, failure }: Stuck): Promise<boolean> {
  const { change, token, newest } = work;
  const { store, log, clock } = deps;
  const { id, version, settledAt } = change;
  log.warn({ changeId: id, ...logged(failure) }, "can't update a card: its channel is closed to the bot");
  if (settledAt === undefined) {
    await store.postponeDrawing(id, token, { ms: OPEN_LOOK_MS });
    return false;
  }
  if (clock.now().getTime() - settledAt.getTime() > CLOSED_FOR_MS) {
    return store.drew(id, { token, version, card, toldSeq: newest });
  }
  const isTold = newest === undefined || (await tellRequester(deps, { change, failure, content: work.content }));
  const ms = growing(deps, settledAt, isTold ? CLOSED_AGAIN_MS : TELL_AGAIN_MS);
  await store.postponeDrawing(id, token, isTold ? { ms, toldSeq: newest } : { ms });
  return false;
}

/** Slack won't update this version of the card: tells only the requester the outcome, once, and leaves the card. */
async function endStuck(deps: DrawDeps, work: Work, { card, failure }: Stuck): Promise<boolean> {
  const { change, token, newest } = work;
  const { store, log } = deps;
  log.error({ changeId: change.id, ...logged(failure) }, "a card can't be updated; its requester is told instead");
  if (change.settledAt !== undefined && newest !== undefined) {
    if (!(await tellRequester(deps, { change, failure, content: work.content }))) {
      await store.postponeDrawing(change.id, token, { ms: growing(deps, change.settledAt, TELL_AGAIN_MS) });
      return false;
    }
  }
  return endInThread(deps, work, { card, isStored: true });
}

type Standing = { readonly card: Card; readonly isStored: boolean };

async function endInThread(deps: DrawDeps, work: Work, { card, isStored }: Standing): Promise<boolean> {
  const { change, token, newest } = work;
  const { store } = deps;
  const replies = repliesFor(deps, work);
  if (!isStored && replies.length > 0) {
    const kept = await work.right.keep(card);
    if (kept === "lost") await retireCard(deps, change, card);
    if (kept !== "held") return false;
  }
  const failure = await tellThread(deps, work, { card, replies });
  if (failure !== undefined && failure !== "lost") {
    await store.postponeDrawing(change.id, token, { ms: waitAfter(failure) });
    return false;
  }
  // If we lost the right to draw, the store schedules another update: ours may have overwritten a newer one.
  const toldSeq = failure === undefined ? newest : undefined;
  const isMore = await store.drew(change.id, { token, version: change.version, card, toldSeq });
  if (isMore && !isStored && replies.length === 0) await retireUnlessKept(deps, work, card);
  return isMore;
}

/** If another replica took over during the post, its card counts, and ours must not keep its buttons. */
async function retireUnlessKept(deps: DrawDeps, { change }: Work, card: Card): Promise<void> {
  const current = (await deps.store.find({ id: change.id }))?.card;
  if (current !== undefined && current.ts !== card.ts) await retireCard(deps, change, card);
}

function hasEvent({ untold }: Work, wanted: HistoryEventKind): boolean {
  return untold.some(({ kind }) => kind === wanted);
}

/** Replies for the thread: the story of a Change that people decide on, and log lines of a workload in trouble. */
function repliesFor({ settings }: DrawDeps, work: Work): readonly Post[] {
  const { change, untold } = work;
  const tellsStory = change.terms !== undefined || change.breakGlass;
  const story = tellsStory ? storyReply(untold, { change, defaultRegion: settings.region }) : undefined;
  const all = tellsStory && hasEvent(work, "requested") ? diffReplies(change) : [];
  const excerpt = hasEvent(work, "health") ? excerptReply(change) : undefined;
  return [story, ...all, excerpt].filter((reply) => reply !== undefined);
}

type Thread = { readonly card: Card; readonly replies: readonly Post[] };

/** The failure for which the rest of the thread waits; undefined when it is complete or can't be posted there. */
async function tellThread(
  { messenger, log }: DrawDeps,
  { change, content, right }: Work,
  { card, replies }: Thread,
): Promise<SlackFailure | "lost" | undefined> {
  for (const reply of replies) {
    if (!(await right.extend())) return "lost";
    const channel = card.channelId;
    let posted = await messenger.post({ channel, threadTs: threadOf(change, content) ?? card.ts }, reply, "card");
    if (!posted.ok && posted.failure.kind === "gone") {
      if (!(await right.extend())) return "lost";
      posted = await messenger.post({ channel, threadTs: card.ts }, reply, "card");
    }
    if (posted.ok) continue;
    log.warn({ changeId: change.id, ...logged(posted.failure) }, "couldn't continue a thread");
    // Temporary: a later draw posts these events.
    if (isTemporary(posted.failure)) return posted.failure;
  }
  return undefined;
}

function logged({ reference, code: slackError }: SlackFailure) {
  return { reference, slackError };
}
