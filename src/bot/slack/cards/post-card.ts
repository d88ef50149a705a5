import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { changeCard, openingCard } from "../../views/cards/change-card.ts";
import { seenOf } from "../../views/kit/health.ts";
import { messageFor, type Post } from "../../views/kit/post.ts";
import { approversFor, namesFor } from "../../workflow/access/approvers.ts";
import { undoRequest } from "../../workflow/repeat/undo-request.ts";
import type { SlackFailure } from "../send/slack-error.ts";
import { type CardParts, retireCard, type Work } from "./work.ts";

export type Placed =
  /** `isStored`: the store knows this card already; otherwise `endInThread` stores it. */
  | { readonly kind: "placed"; readonly card: Card; readonly isStored: boolean }
  /** It can't be posted, and a retry won't help. */
  | { readonly kind: "nowhere"; readonly failure: SlackFailure }
  /** It is posted but can't be updated while the channel is archived or the bot isn't in it. */
  | { readonly kind: "closed"; readonly card: Card; readonly failure: SlackFailure }
  /** It is posted, and Slack refuses this update for good. */
  | { readonly kind: "stuck"; readonly card: Card; readonly failure: SlackFailure }
  | { readonly kind: "later"; readonly failure: SlackFailure; readonly isPosted: boolean }
  /** Another replica draws it now. */
  | { readonly kind: "lost" };

/** A deleted card is posted once more. If that one is deleted too, only the requester learns how the request ends. */
const MOST_POSTS = 2;

/** Updates the card of a Change to its latest version, posting it first if there is none. */
export async function placeCard(parts: CardParts, work: Work): Promise<Placed> {
  const { change, posts } = work;
  const [names, approvers, waitsFor] = await Promise.all([
    namesFor(parts.people, change),
    approversFor(parts.people, change),
    parts.store.waitsFor(change),
  ]);
  const { command, region: defaultRegion } = parts.settings;
  const common = { change, defaultRegion, names };
  const drawn = changeCard({ ...common, approvers, waitsFor, command, canUndo: canUndo(parts, work) });
  const post = messageFor(change.account.username, drawn);
  if (change.card !== undefined) {
    const updated = await update(parts, work, { card: change.card, post });
    if (updated.kind !== "gone") return updated;
    if (posts >= MOST_POSTS) return { kind: "stuck", card: change.card, failure: updated.failure };
  }
  // A settled change has no decision buttons, so its card can be posted directly.
  if (change.settledAt !== undefined) return postNew(parts, work, post);
  const opened = await postNew(parts, work, openingCard(common));
  if (opened.kind !== "placed") return opened;
  const { card } = opened;
  // Stored before the buttons appear: a crash in between must not lead to a second card with buttons.
  const kept = await work.lease.keep(card);
  if (kept === "lost") await retireCard(parts, change, card);
  if (kept !== "held") return { kind: "lost" };
  const updated = await update(parts, work, { card, post });
  return updated.kind === "gone" ? { kind: "placed", card, isStored: true } : updated;
}

type Gone = { readonly kind: "gone"; readonly failure: SlackFailure };
type Update = { readonly card: Card; readonly post: Post };

async function update(parts: CardParts, work: Work, { card, post }: Update): Promise<Placed | Gone> {
  if (!(await work.lease.extend())) return { kind: "lost" };
  const { id } = work.change;
  const updated = await parts.messenger.update(card, post, "card");
  if (updated.ok) {
    parts.refusals.clear(id);
    return { kind: "placed", card, isStored: true };
  }
  const { failure } = updated;
  if (failure.kind === "gone") return { kind: "gone", failure };
  if (parts.refusals.mayRetry(id, failure)) return { kind: "later", failure, isPosted: false };
  return { kind: isReopenable(failure) ? "closed" : "stuck", card, failure };
}

/** Somebody can change it: unarchive the channel, invite the bot, fix the app. */
function isReopenable({ kind }: SlackFailure): boolean {
  return kind === "closed" || kind === "uninvited" || kind === "token" || kind === "scope";
}

async function postNew({ messenger, refusals }: CardParts, work: Work, post: Post): Promise<Placed> {
  const { change, content, lease } = work;
  const channel = change.terms?.cardIn ?? change.channelId;
  if (!(await lease.extend())) return { kind: "lost" };
  const threadTs = threadOf(change, content);
  let posted = await messenger.post({ channel, threadTs }, post, "card");
  if (!posted.ok && posted.failure.kind === "gone" && threadTs !== undefined) {
    // Whoever asked deleted their message. The request still needs its card.
    if (!(await lease.extend())) return { kind: "lost" };
    posted = await messenger.post({ channel }, post, "card");
  }
  if (posted.ok) {
    refusals.clear(change.id);
    return { kind: "placed", card: posted.value, isStored: false };
  }
  const { failure } = posted;
  if (refusals.mayRetry(change.id, failure)) return { kind: "later", failure, isPosted: failure.kind === "unsure" };
  return { kind: "nowhere", failure };
}

/**
 * The thread of the request, if its card belongs there. A Change that can't be unsealed gets its card in the channel.
 */
export function threadOf(change: StoredChange, content: Work["content"]): string | undefined {
  const cardIn = change.terms?.cardIn;
  if (cardIn !== undefined && cardIn !== change.channelId) return undefined;
  return content()?.threadTs;
}

function canUndo({ sealer }: CardParts, { change, content }: Work): boolean {
  // Of several workloads, some may have been changed before one failed.
  const isChanged = change.state === "done" || (change.state === "failed" && change.parts !== undefined);
  if (!isChanged || change.isUndone || seenOf(change)?.gone !== undefined) return false;
  const opened = content();
  return opened !== undefined && undoRequest(sealer, change, opened) !== undefined;
}
