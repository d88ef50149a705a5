import type { Card } from "../../changes/stored-change.ts";
import type { Store } from "../../store/store.ts";
import type { Alert } from "../../watch/alert.ts";
import { type Post, withContextLine } from "../../views/kit/post.ts";
import type { AlertDrawing, Alerts } from "../../workflow/ports.ts";
import type { AlertStory } from "../../workflow/watching/story.ts";
import type { WorkspaceParts } from "../parts.ts";
import { isProbablyDone, isTemporary, type SlackFailure } from "../send/slack-error.ts";

type AlertParts = Pick<WorkspaceParts, "clock" | "log" | "messenger"> & {
  readonly store: Pick<Store, "beginAlertDrawing" | "holdAlertDrawing" | "markAlertDrawn" | "postponeAlertDrawing">;
  readonly teamId: () => string | undefined;
  readonly story: (alert: Alert, how: { readonly isAgain: boolean }) => Promise<AlertStory>;
};

export function createAlerts(parts: AlertParts): Alerts {
  return { draw: (id) => drawAlert(parts, id) };
}

const TRY_AGAIN_MS = 5_000;
/** Longest wait after a lost answer: each retry may post one more message. */
const MOST_LOST_WAIT_MS = 60_000;
/** A deleted message is posted once more; that it was going to be posted and that it was count as one each. */
const MOST_POSTS = 3;

/**
 * Posts the message of an alert, or updates it, and then its thread. One replica at a time does: its right lasts for one call
 * to Slack, and what a call came to is stored before the next one.
 */
async function drawAlert(parts: AlertParts, id: string): Promise<void> {
  const { store, log } = parts;
  const teamId = parts.teamId();
  const drawing = teamId === undefined ? undefined : await store.beginAlertDrawing(id, teamId);
  if (drawing === undefined) return;
  const { alert, token } = drawing;
  const story = await parts.story(alert, { isAgain: isPostedAgain(drawing) });
  const placed = await place(parts, drawing, story.card);
  switch (placed.kind) {
    case "lost":
      return;
    case "later": {
      const { failure, isPosted } = placed;
      log.warn(
        { alert: id, reference: failure.reference, slackError: failure.code },
        "couldn't draw an alert; retrying",
      );
      const lostMs = Math.min(TRY_AGAIN_MS * 2 ** drawing.posts, MOST_LOST_WAIT_MS);
      const ms = isPosted ? lostMs : Math.max(TRY_AGAIN_MS, failure.retryAfterMs ?? 0);
      return store.postponeAlertDrawing(id, token, { ms, isPosted });
    }
    case "nowhere": {
      const { reference, code: slackError } = placed.failure;
      log.error({ alert: id, reference, slackError }, "an alert can't be posted, nor told to who watches");
      return store.markAlertDrawn(id, { token, version: alert.version, isNowhere: true, restMs: 0 });
    }
    case "placed": {
      const later = await tellThread(parts, drawing, { card: placed.card, story });
      if (later === "lost") return;
      if (later !== undefined) return store.postponeAlertDrawing(id, token, { ms: later, isPosted: false });
      return store.markAlertDrawn(id, {
        token,
        version: alert.version,
        isNowhere: false,
        restMs: restMs(parts, alert),
      });
    }
  }
}

/** Slack took, or may have taken, another message of it before. */
function isPostedAgain({ alert, posts }: AlertDrawing): boolean {
  return alert.card === undefined ? posts > 0 : posts >= MOST_POSTS;
}

/** A crash loop changes with every look: the card follows quickly at first, then less and less often. */
function restMs({ clock }: AlertParts, { createdAt }: Alert): number {
  return Math.min(Math.max(2_000, (clock.now().getTime() - createdAt.getTime()) / 20), 30_000);
}

type Placed =
  | { readonly kind: "placed"; readonly card: Card }
  | { readonly kind: "later"; readonly failure: SlackFailure; readonly isPosted: boolean }
  | { readonly kind: "nowhere"; readonly failure: SlackFailure }
  | { readonly kind: "lost" };

async function place(parts: AlertParts, { alert, token, posts }: AlertDrawing, post: Post): Promise<Placed> {
  const { messenger, store } = parts;
  const { card, id } = alert;
  if (card !== undefined) {
    const updated = await messenger.update(card, post, "card");
    if (updated.ok) return { kind: "placed", card };
    const { failure } = updated;
    if (isTemporary(failure)) return { kind: "later", failure, isPosted: false };
    // Archived, or it can't be edited any more: its thread still tells.
    if (failure.kind !== "gone" || posts >= MOST_POSTS) return { kind: "placed", card };
    if ((await store.holdAlertDrawing(id, token)) !== "held") return { kind: "lost" };
  }
  const posted = await postNew(parts, { alert, token }, post);
  if (posted.kind !== "placed") return posted;
  const kept = await store.holdAlertDrawing(id, token, { card: posted.card });
  return kept === "held" ? posted : { kind: "lost" };
}

/** In the place of the watch; where the bot can't post, to who watches, so that it isn't lost. */
async function postNew(
  { messenger, store }: AlertParts,
  { alert, token }: Pick<AlertDrawing, "alert" | "token">,
  post: Post,
): Promise<Placed> {
  let posted = await messenger.post({ channel: alert.place }, post, "card");
  if (!posted.ok && !isTemporary(posted.failure) && alert.ownerId !== "" && alert.ownerId !== alert.place) {
    if ((await store.holdAlertDrawing(alert.id, token)) !== "held") return { kind: "lost" };
    posted = await messenger.post({ channel: alert.ownerId }, post, "card");
  }
  if (posted.ok) return { kind: "placed", card: posted.value };
  const { failure } = posted;
  return isTemporary(failure)
    ? { kind: "later", failure, isPosted: failure.kind === "unsure" }
    : { kind: "nowhere", failure };
}

type Thread = { readonly card: Card; readonly story: AlertStory };

/** Stored in `told` for a reply whose result is unknown. It is sent once more, with a note: a card notifies nobody. */
const unsure = (key: string): string => `unsure ${key}`;

/** Each reply is stored as told before the next one. Resolves to how long the rest has to wait; undefined when all are told. */
async function tellThread(
  { messenger, store, log }: AlertParts,
  { alert, token }: AlertDrawing,
  { card, story }: Thread,
): Promise<number | "lost" | undefined> {
  let told = [...alert.told];
  if (told.length === 0) told = ["posted"];
  for (const { key, post } of await story.replies()) {
    if ((await store.holdAlertDrawing(alert.id, token, { told })) !== "held") return "lost";
    const isAgain = told.includes(unsure(key));
    const reply = isAgain ? withContextLine(post, "Sent again: you may have it already.") : post;
    const posted = await messenger.post({ channel: card.channelId, threadTs: card.ts }, reply, "card");
    if (!posted.ok) {
      const { failure } = posted;
      log.warn(
        { alert: alert.id, reference: failure.reference, slackError: failure.code },
        "couldn't continue a thread",
      );
      const isDone = isProbablyDone(failure);
      const later = isTemporary(failure) && !(isDone && isAgain);
      if (later && isDone) {
        const kept = await store.holdAlertDrawing(alert.id, token, { told: [...told, unsure(key)] });
        if (kept !== "held") return "lost";
      }
      if (later) return Math.max(TRY_AGAIN_MS, failure.retryAfterMs ?? 0);
    }
    told = [...told, key];
  }
  if (told.length === alert.told.length) return undefined;
  return (await store.holdAlertDrawing(alert.id, token, { told })) === "held" ? undefined : "lost";
}
