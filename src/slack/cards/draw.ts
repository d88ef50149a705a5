import type { Card } from "../../changes/stored-change.ts";
import type { Drawing } from "../../store/store.ts";
import type { HistoryEventKind } from "../../changes/history-event.ts";
import { diffReplies } from "../../views/cards/diff.ts";
import { excerptReply, storyReply } from "../../views/cards/change-story.ts";
import type { Post } from "../../views/kit/message.ts";
import { asTextAtLast, gone, isClosed, placeCard, type Placed, threadOf, unfurl } from "./post-card.ts";
import { type CallFailure, uninvited } from "../send/slack-error.ts";
import type { Shell } from "../../workflow/shell.ts";
import { tellAlone } from "./without-card.ts";

/** After a call that failed for the moment: nobody tries again before this is over. */
const TRY_AGAIN_MS = 5_000;
/** Longest wait after a lost answer: each retry may post one more message. */
const MOST_LOST_WAIT_MS = 60_000;
/** Upper bound for Slack's Retry-After, which is usually 30 s. */
const MOST_RETRY_AFTER_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 1_000;
/** Each time costs a few calls, and an address that is used up does not come back: it is half an hour of tries at most. */
const TELL_AGAIN_MS = 30_000;
/** An archived channel may be reopened; its cards are then updated. */
const CLOSED_AGAIN_MS = 60_000;
/** Shorter while it runs: the requester must learn the outcome soon after its end. */
const CLOSED_LOOK_MS = 15_000;
const CLOSED_FOR_MS = 24 * 60 * 60_000;

/**
 * Draws the card of a Change, and tells its thread what happened, until both are of its last version. Any replica may
 * call it at any time; one draws. Never rejects because of Slack: what cannot be drawn now is drawn later.
 */
export async function draw(shell: Shell, id: string): Promise<void> {
  for (;;) {
    const drawing = await shell.store.beginDrawing(id);
    if (drawing === undefined || !(await drawOnce(shell, drawing))) return;
  }
}

/** Whether there is more to draw. */
async function drawOnce(shell: Shell, drawing: Drawing): Promise<boolean> {
  const placed = await placeCard(shell, drawing);
  switch (placed.kind) {
    case "lost":
      // The next replica to draw sees what we did.
      return false;
    case "later":
      return putOff(shell, drawing, placed);
    case "nowhere":
      return endAlone(shell, drawing, placed);
    case "closed":
      return waitForPlace(shell, drawing, placed);
    case "placed":
      return endInThread(shell, drawing, placed.card);
  }
}

async function putOff(
  shell: Shell,
  { change, token, posts }: Drawing,
  { failure, isPosted }: Extract<Placed, { kind: "later" }>,
): Promise<false> {
  shell.log.warn({ changeId: change.id, slackError: failure.code }, "couldn't draw a card; retrying");
  const ms = isPosted ? Math.min(TRY_AGAIN_MS * 2 ** posts, MOST_LOST_WAIT_MS) : waitAfter(failure);
  await shell.store.postponeDrawing(change.id, token, { ms, isPosted });
  return false;
}

function waitAfter({ retryAfterMs = 0 }: CallFailure): number {
  return Math.min(Math.max(TRY_AGAIN_MS, retryAfterMs), MOST_RETRY_AFTER_MS);
}

/** No card can be posted: tells only the requester, once the change has ended. */
async function endAlone(
  shell: Shell,
  { change, token, untold }: Drawing,
  { why }: Extract<Placed, { kind: "nowhere" }>,
): Promise<boolean> {
  const { store } = shell;
  if (change.settledAt === undefined) {
    // A change that runs ends in a moment; one that waits for approval may wait for an hour.
    await store.postponeDrawing(change.id, token, { ms: change.state === "pending" ? CLOSED_LOOK_MS : LOOK_AGAIN_MS });
    return false;
  }
  if (!(await tellAlone(shell, change, { canInvite: uninvited.has(why) }))) {
    await store.postponeDrawing(change.id, token, { ms: TELL_AGAIN_MS });
    return false;
  }
  return store.drew(change.id, { token, version: change.version, card: undefined, toldSeq: untold.at(-1)?.seq });
}

/** The card can't be updated now: tells only the requester the outcome, once, and updates the card when possible. */
async function waitForPlace(
  shell: Shell,
  { change, token, untold }: Drawing,
  { card, why }: Extract<Placed, { kind: "closed" }>,
): Promise<boolean> {
  const { store, log, now } = shell;
  const { id, version, settledAt } = change;
  log.warn({ changeId: id, slackError: why }, "can't update a card: its channel is closed to the bot");
  const toldSeq = untold.at(-1)?.seq;
  if (settledAt !== undefined && now().getTime() - settledAt.getTime() > CLOSED_FOR_MS) {
    return store.drew(id, { token, version, card, toldSeq });
  }
  if (settledAt === undefined || toldSeq === undefined) {
    await store.postponeDrawing(id, token, { ms: settledAt === undefined ? CLOSED_LOOK_MS : CLOSED_AGAIN_MS });
    return false;
  }
  const isTold = await tellAlone(shell, change, { canInvite: uninvited.has(why) });
  await store.postponeDrawing(id, token, isTold ? { ms: CLOSED_AGAIN_MS, toldSeq } : { ms: TELL_AGAIN_MS });
  return false;
}

async function endInThread(shell: Shell, drawing: Drawing, card: Card): Promise<boolean> {
  const { change, token, untold } = drawing;
  const failure = await tellThread(shell, drawing, card);
  if (failure !== undefined && failure !== "lost") {
    await shell.store.postponeDrawing(change.id, token, { ms: waitAfter(failure) });
    return false;
  }
  // If we lost the right to draw, the store schedules another update: ours may have overwritten a newer one.
  const toldSeq = failure === undefined ? untold.at(-1)?.seq : undefined;
  return shell.store.drew(change.id, { token, version: change.version, card, toldSeq });
}

/** What there is to tell in the thread of a card: the story of what people decide on, and lines of what is in trouble. */
function repliesFor({ settings }: Shell, { change, untold }: Drawing): readonly Post[] {
  const tellsStory = change.terms !== undefined || change.breakGlass;
  const has = (wanted: HistoryEventKind): boolean => untold.some(({ kind }) => kind === wanted);
  const story = tellsStory ? storyReply(untold, { change, defaultRegion: settings.region }) : undefined;
  const all = tellsStory && has("requested") ? diffReplies(change) : [];
  const excerpt = has("health") ? excerptReply(change) : undefined;
  return [story, ...all, excerpt].filter((reply) => reply !== undefined);
}

/** Why the rest of the thread must wait; undefined when it is complete or can't be posted there. */
async function tellThread(shell: Shell, drawing: Drawing, card: Card): Promise<CallFailure | "lost" | undefined> {
  const { change, token } = drawing;
  for (const reply of repliesFor(shell, drawing)) {
    if ((await shell.store.holdDrawing(change.id, token)) !== "held") return "lost";
    const place = { channel: card.channelId, thread_ts: threadOf(shell, change) ?? card.ts, ...unfurl };
    const failure = await asTextAtLast(shell, reply, (body) =>
      shell.clients.drawing.chat.postMessage({ ...place, ...body }),
    );
    if (failure === undefined) continue;
    shell.log.warn({ changeId: change.id, slackError: failure.code }, "couldn't continue a thread");
    // A rate limit or a broken line passes; the events stay untold until then.
    if (!isClosed(failure.code) && !gone.has(failure.code)) return failure;
  }
  return undefined;
}
