import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { undoAsk } from "../../commands/undo.ts";
import type { Drawing } from "../../store/store.ts";
import { changeCard } from "../../views/cards/change-card.ts";
import type { Post } from "../../views/kit/message.ts";
import { openingCard } from "../../views/cards/opening-card.ts";
import { truncate } from "../../views/kit/text.ts";
import { namesFor } from "../../workflow/access/approver-names.ts";
import { retireCard } from "./retire.ts";
import { contentOf } from "../../workflow/sealed-change.ts";
import type { Shell } from "../../workflow/shell.ts";
import { type CallFailure, closedPlaces, failureOf, refusedContent, uninvited } from "../send/slack-error.ts";

export type Placed =
  | { readonly kind: "placed"; readonly card: Card }
  /** It can't be posted there, and waiting won't help. */
  | { readonly kind: "nowhere"; readonly why: string }
  /** It is posted but can't be updated while the channel is archived or the bot isn't in it. */
  | { readonly kind: "closed"; readonly card: Card; readonly why: string }
  | { readonly kind: "later"; readonly failure: CallFailure; readonly isPosted: boolean }
  /** Another replica draws it now. */
  | { readonly kind: "lost" };

/** A deleted card is posted once more. If that one is deleted too, people do not want it. */
const MOST_POSTS = 2;

/** https://docs.slack.dev/reference/methods/chat.update#errors: the message is not there any more. */
export const gone: ReadonlySet<string> = new Set(["message_not_found", "thread_not_found"]);
/** https://docs.slack.dev/reference/methods/chat.update#errors: the message exists but can never be updated. */
const fixed = new Set(["cant_update_message", "edit_window_closed"]);

/** The bot can't write there, and an immediate retry won't help. */
export function isClosed(code: string): boolean {
  return closedPlaces.has(code) || uninvited.has(code) || fixed.has(code);
}

/** Updates the card of a Change to its latest version, posting it first if there is none. */
export async function placeCard(shell: Shell, { change, posts, token }: Drawing): Promise<Placed> {
  const names = await namesFor(shell, change);
  const { command, region: defaultRegion } = shell.settings;
  const common = { change, command, defaultRegion, names };
  const post = changeCard({ ...common, canUndo: canUndo(shell, change) });
  if (change.card !== undefined) {
    const updated = await update(shell, { id: change.id, token, card: change.card }, post);
    const isGone = updated.kind === "later" && gone.has(updated.failure.code);
    if (!isGone) return updated;
    if (posts >= MOST_POSTS) return { kind: "placed", card: change.card };
  }
  // A settled change has no decision buttons, so its card can be posted directly.
  if (change.settledAt !== undefined) return postNew(shell, { change, token }, post);
  const opened = await postNew(shell, { change, token }, openingCard(common));
  if (opened.kind !== "placed") return opened;
  return update(shell, { id: change.id, token, card: opened.card }, post);
}

type Ours = { readonly id: string; readonly token: string; readonly card: Card };

async function update(shell: Shell, { id, token, card }: Ours, post: Post): Promise<Placed> {
  if ((await shell.store.holdDrawing(id, token)) !== "held") return { kind: "lost" };
  const { channelId: channel, ts } = card;
  const failure = await asTextAtLast(shell, post, (body) =>
    shell.clients.drawing.chat.update({ channel, ts, ...body }),
  );
  if (failure === undefined || fixed.has(failure.code)) return { kind: "placed", card };
  if (isClosed(failure.code)) return { kind: "closed", card, why: failure.code };
  return { kind: "later", failure, isPosted: false };
}

type New = { readonly change: StoredChange; readonly token: string };

/** Posts it and stores where, before any other message. */
async function postNew(shell: Shell, { change, token }: New, post: Post): Promise<Placed> {
  const channel = change.terms?.cardIn ?? change.channelId;
  const thread_ts = threadOf(shell, change);
  const where = { channel, ...(thread_ts !== undefined && { thread_ts }), ...unfurl };
  if ((await shell.store.holdDrawing(change.id, token)) !== "held") return { kind: "lost" };
  let posted: { readonly ts?: string; readonly channel?: string } = {};
  const failure = await asTextAtLast(shell, post, async (body) => {
    posted = await shell.clients.drawing.chat.postMessage({ ...where, ...body });
  });
  if (failure !== undefined) {
    const { code: why, isUnsure } = failure;
    return isClosed(why) ? { kind: "nowhere", why } : { kind: "later", failure, isPosted: isUnsure };
  }
  // A post to a user id lands in a direct conversation, which has another id.
  const { ts, channel: channelId = channel } = posted;
  if (ts === undefined) return { kind: "later", failure: noTs, isPosted: true };
  const card = { channelId, ts };
  const held = await shell.store.holdDrawing(change.id, token, card);
  if (held === "held") return { kind: "placed", card };
  if (held === "lost") await retireCard(shell, change, card);
  return { kind: "lost" };
}

const noTs: CallFailure = { code: "no_ts", isUnsure: true, retryAfterMs: undefined };

export const unfurl = { unfurl_links: false, unfurl_media: false } as const;

/** Slack takes 4,000 characters: https://docs.slack.dev/reference/methods/chat.update#truncating */
const MOST_TEXT = 3_800;

type Body = { text: string; blocks: Post["blocks"][number][] };

/** If Slack refuses the blocks, sends the text alone, with the commands to type instead of buttons. */
export async function asTextAtLast(
  { log, newReference, settings }: Pick<Shell, "log" | "newReference" | "settings">,
  { text, blocks }: Post,
  send: (body: Body) => Promise<unknown>,
): Promise<CallFailure | undefined> {
  const failure = await failureOf(() => send({ text, blocks: [...blocks] }));
  if (failure === undefined || !refusedContent.has(failure.code)) return failure;
  const reference = newReference();
  log.error(
    { reference, slackError: failure.code, blockTypes: blocks.map(({ type }) => type) },
    "Slack refused our blocks",
  );
  const plain = `${truncate(text, MOST_TEXT)}\n(Buttons couldn't be shown. Type ${settings.command} help. Reference ${reference})`;
  // Empty, not omitted: chat.update keeps old blocks, with their buttons, when `blocks` is missing.
  return failureOf(() => send({ text: plain, blocks: [] }));
}

/**
 * The thread of the request, if its card belongs there. A Change that can't be unsealed gets its card in
 * the channel.
 */
export function threadOf({ sealer }: Pick<Shell, "sealer">, change: StoredChange): string | undefined {
  const cardIn = change.terms?.cardIn;
  if (cardIn !== undefined && cardIn !== change.channelId) return undefined;
  return contentOf(sealer, change)?.threadTs;
}

function canUndo({ sealer }: Shell, change: StoredChange): boolean {
  if (change.state !== "done" || change.isUndone) return false;
  const content = contentOf(sealer, change);
  return content !== undefined && undoAsk(content.change) !== undefined;
}
