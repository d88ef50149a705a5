import type { StoredChange } from "../changes/stored-change.ts";
import { undoAsk } from "../commands/undo.ts";
import type { Drawing } from "../store/store.ts";
import type { EventKind } from "../changes/history-event.ts";
import { diffReplies } from "../views/diff-reply.ts";
import { changeCard } from "../views/change-card.ts";
import { excerptReply, storyReply } from "../views/change-story.ts";
import type { Post } from "../views/message.ts";
import { namesFor } from "./names.ts";
import { closedPlaces, errorOf, uninvited } from "./slack-error.ts";
import { contentOf } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";
import { tellAlone } from "./tell-alone.ts";

/** After a call that failed for the moment: nobody tries again before this is over. */
const TRY_AGAIN_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;
/** Each time costs a few calls, and an address that is used up does not come back: it is half an hour of tries at most. */
const TELL_AGAIN_MS = 30_000;
/** A card that was deleted is posted anew once; whoever deletes that too does not want it. */
const MOST_POSTS = 2;

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
  const { change, token } = drawing;
  const placed = await place(shell, drawing);
  if (placed.kind === "later") {
    shell.log.warn({ changeId: change.id, slackError: placed.why }, "a card could not be drawn, and will be");
    await shell.store.postponeDrawing(change.id, token, TRY_AGAIN_MS);
    return false;
  }
  if (placed.kind === "nowhere" && change.settledAt === undefined) {
    // Whoever asked is told alone, once it has ended.
    await shell.store.postponeDrawing(change.id, token, LOOK_AGAIN_MS);
    return false;
  }
  const card = placed.kind === "placed" ? placed.card : undefined;
  if (card === undefined && !(await tellAlone(shell, change))) {
    await shell.store.postponeDrawing(change.id, token, TELL_AGAIN_MS);
    return false;
  }
  const toldSeq = card === undefined ? drawing.untold.at(-1)?.seq : await tellThread(shell, drawing, card);
  return shell.store.drew(change.id, { token, version: change.version, card, toldSeq });
}

type Card = NonNullable<StoredChange["card"]>;
type Placed =
  | { readonly kind: "placed"; readonly card: Card }
  | { readonly kind: "nowhere" }
  | { readonly kind: "later"; readonly why: string };

/** https://docs.slack.dev/reference/methods/chat.update#errors: the message is not there any more. */
const gone = new Set(["message_not_found", "thread_not_found"]);
/** https://docs.slack.dev/reference/methods/chat.update#errors: it is there, and stays as it is. */
const fixed = new Set(["cant_update_message", "edit_window_closed"]);

/** No waiting helps. */
function isClosed(error: string): boolean {
  return closedPlaces.has(error) || uninvited.has(error) || fixed.has(error);
}

async function place(shell: Shell, { change, posts }: Drawing): Promise<Placed> {
  const post = await cardOf(shell, change);
  if (change.card !== undefined) {
    const { channelId: channel, ts } = change.card;
    const error = await errorOf(() => shell.clients.background.chat.update({ channel, ts, ...bodyOf(post) }));
    if (error === undefined) return { kind: "placed", card: change.card };
    if (isClosed(error)) return { kind: "placed", card: change.card };
    if (!gone.has(error)) return { kind: "later", why: error };
    if (posts >= MOST_POSTS) return { kind: "placed", card: change.card };
  }
  return postCard(shell, change, post);
}

async function postCard(shell: Shell, change: StoredChange, post: Post): Promise<Placed> {
  const channel = change.terms?.cardIn ?? change.channelId;
  const thread_ts = threadOf(shell, change);
  const where = { channel, ...(thread_ts !== undefined && { thread_ts }) };
  let posted: { readonly ts?: string; readonly channel?: string } = {};
  // Never repeated by the client: a post whose answer was lost stands already.
  const error = await errorOf(async () => {
    posted = await shell.clients.interactive.chat.postMessage({ ...where, ...bodyOf(post), ...unfurl });
  });
  // Posted to a person, it stands in a conversation that has an id of its own.
  const { ts, channel: channelId = channel } = posted;
  if (error === undefined && ts !== undefined) return { kind: "placed", card: { channelId, ts } };
  if (error !== undefined && isClosed(error)) return { kind: "nowhere" };
  return { kind: "later", why: error ?? "no_ts" };
}

/** The thread in which it was asked for, when its card stands there. What does not open has a card of its own. */
function threadOf({ sealer }: Shell, change: StoredChange): string | undefined {
  const cardIn = change.terms?.cardIn;
  if (cardIn !== undefined && cardIn !== change.channelId) return undefined;
  return contentOf(sealer, change)?.threadTs;
}

const unfurl = { unfurl_links: false, unfurl_media: false } as const;

function bodyOf({ text, blocks }: Post) {
  return { text, blocks: [...blocks] };
}

async function cardOf(shell: Shell, change: StoredChange): Promise<Post> {
  const { command, region: defaultRegion } = shell.settings;
  const names = await namesFor(shell, change);
  return changeCard({ change, command, defaultRegion, names, canUndo: canUndo(shell, change) });
}

function canUndo({ sealer }: Shell, change: StoredChange): boolean {
  if (change.state !== "done" || change.isUndone) return false;
  const content = contentOf(sealer, change);
  return content !== undefined && undoAsk(content.change) !== undefined;
}

/** What there is to tell in the thread of a card: the story of what people decide on, and lines of what is in trouble. */
function repliesFor({ settings }: Shell, { change, untold }: Drawing): readonly Post[] {
  const tellsStory = change.terms !== undefined || change.breakGlass;
  const has = (wanted: EventKind): boolean => untold.some(({ kind }) => kind === wanted);
  const story = tellsStory ? storyReply(untold, { change, defaultRegion: settings.region }) : undefined;
  const all = tellsStory && has("requested") ? diffReplies(change) : [];
  const excerpt = has("health") ? excerptReply(change) : undefined;
  return [story, ...all, excerpt].filter((reply) => reply !== undefined);
}

/** The number of the last event that stands in the thread; undefined when the rest has to be told later. */
async function tellThread(shell: Shell, drawing: Drawing, card: Card): Promise<number | undefined> {
  const { change, untold } = drawing;
  for (const reply of repliesFor(shell, drawing)) {
    const place = { channel: card.channelId, thread_ts: threadOf(shell, change) ?? card.ts };
    const error = await errorOf(() =>
      shell.clients.background.chat.postMessage({ ...place, ...bodyOf(reply), ...unfurl }),
    );
    if (error !== undefined) {
      shell.log.warn({ changeId: change.id, slackError: error }, "a thread could not be continued");
      // A rate limit or a broken line passes; the events stay untold until then.
      if (!isClosed(error) && !gone.has(error)) return undefined;
    }
  }
  return untold.at(-1)?.seq;
}
