import type { Card } from "../../changes/stored-change.ts";
import { withContextLine } from "../../views/kit/post.ts";
import { type Due, type DueEnd, LeaseLost } from "../due.ts";
import type { WorkflowParts } from "../ports.ts";
import type { PostKind, PostStore, SavedPost, Sent, StoredPost } from "./post.ts";

export type DeliverParts = Pick<WorkflowParts, "log" | "sender" | "wake"> & { readonly store: PostStore };

/** Slack couldn't say who may see it. */
const ASK_AGAIN_MS = 60_000;
const TRY_AGAIN_MS = 5_000;
/** Longest wait after a lost answer: each retry may post one more message. */
const MOST_LOST_WAIT_MS = 60_000;
/** A deleted message is posted once more. */
const MOST_POSTS = 2;
const BLOCKED_MS = { least: 60_000, most: 6 * 60 * 60_000 };

/**
 * Posts a message, or updates it, and then its thread. What a call came to is stored before the next one, and who may see it is
 * asked before each. Rejects when the database doesn't answer.
 */
export async function deliver<Content>(parts: DeliverParts, kind: PostKind<Content>, due: Due): Promise<DueEnd> {
  const post = await parts.store.postOf(due);
  if (post === undefined) return "done";
  const { restUntil } = post;
  if (restUntil !== undefined && restUntil > due.takenAt) return { at: restUntil };
  const work: Work<Content> = { parts, kind, due, post };
  try {
    return await draw(work);
  } catch (error) {
    // What Slack took of ours may have replaced something newer.
    if (error instanceof LeaseLost) await parts.store.deliverAgain(due);
    throw error;
  }
}

type Delivery = { readonly parts: DeliverParts; readonly due: Due; readonly post: StoredPost };
type Work<Content> = Delivery & { readonly kind: PostKind<Content> };

/** Also renews the lease. Throws `LeaseLost`. */
async function save({ parts: { store }, due }: Delivery, saved: SavedPost = {}): Promise<void> {
  if ((await store.savePost(due, saved)) !== "held") throw new LeaseLost();
}

async function draw<Content>(work: Work<Content>): Promise<DueEnd> {
  const { parts, kind, post, due } = work;
  const readable = await kind.read(post);
  if (readable.kind === "unknown") return { ms: ASK_AGAIN_MS, isFailure: true };
  if (readable.kind === "nothing") return "done";
  const { content } = readable;
  const placed = await place(work, content);
  switch (placed.kind) {
    case "later":
      return wait(work, placed);
    case "blocked":
      return waitForSomebody(work, { isTold: false });
    case "gone":
      // Whatever is told from now on gets a message of its own.
      await parts.store.removePost(due);
      return "ended";
    case "sent": {
      const { card, isShown } = placed.value;
      return await tellThread({ ...work, card, isShown }, content);
    }
  }
}

type Placed = Sent<{ readonly card: Card; readonly isShown: boolean }>;

async function place<Content>(work: Work<Content>, content: Content): Promise<Placed> {
  const { parts, kind, post } = work;
  const { card, posts, insteadOf } = post;
  if (card === undefined) return postNew(work, content);
  const view = await kind.card(content, { isAgain: posts > 1, insteadOf });
  await save(work);
  const updated = await parts.sender.update(card, view);
  if (updated.kind === "sent") return { kind: "sent", value: { card, isShown: true } };
  // Its thread still tells.
  if (updated.kind === "blocked" && !updated.isPlace) return { kind: "sent", value: { card, isShown: false } };
  if (updated.kind === "gone" && posts < MOST_POSTS) return postNew(work, content);
  // Once more, the same update does no harm.
  return updated.kind === "later" ? { ...updated, isMaybeSent: false } : updated;
}

async function postNew<Content>(work: Work<Content>, content: Content): Promise<Placed> {
  const { parts, kind, due, post } = work;
  const { posts, insteadOf } = post;
  const view = await kind.card(content, { isAgain: posts > 0, insteadOf });
  // Counted before it is posted: whoever takes over after a kill knows that there may be a message already.
  await save(work, { posts: posts + 1 });
  const posted = await parts.sender.post({ place: post.place }, view);
  if (posted.kind !== "sent") {
    if (posted.kind !== "later" || !posted.isMaybeSent) await save(work, { posts });
    // A place that isn't there may come back, as a channel does whose bot is invited.
    return posted.kind === "gone" ? { kind: "blocked", isPlace: true } : posted;
  }
  const card = posted.value;
  const kept = await parts.store.savePost(due, { card });
  if (kept === "lost") await parts.sender.remove(card);
  if (kept !== "held") throw new LeaseLost();
  return { kind: "sent", value: { card, isShown: true } };
}

function wait({ post }: Delivery, { ms, isMaybeSent }: Extract<Sent<never>, { kind: "later" }>): DueEnd {
  const lostMs = isMaybeSent ? Math.min(TRY_AGAIN_MS * 2 ** post.posts, MOST_LOST_WAIT_MS) : 0;
  return { ms: Math.max(TRY_AGAIN_MS, ms, lostMs), isFailure: true };
}

/** Tried again with growing pauses. A person is told meanwhile, unless its thread can tell. */
async function waitForSomebody(work: Delivery, { isTold }: { readonly isTold: boolean }): Promise<DueEnd> {
  const { parts, due, post } = work;
  const { blockedAt, fallback } = post;
  await save(work, { isBlocked: true });
  if (!isTold && fallback !== undefined && fallback !== post.place) {
    await parts.store.postInstead(post);
    parts.wake();
  }
  if (blockedAt === undefined) {
    parts.log.warn({ post: post.id, kind: post.kind }, "Slack doesn't take a message until somebody changes something");
  }
  const blockedMs = blockedAt === undefined ? 0 : due.takenAt.getTime() - blockedAt.getTime();
  return { ms: Math.min(Math.max(BLOCKED_MS.least, blockedMs / 10), BLOCKED_MS.most), isFailure: true };
}

/** Stored for a reply whose result is unknown. It is sent once more, with a note. */
const unsure = (key: string): string => `unsure ${key}`;

type ThreadWork<Content> = Work<Content> & { readonly card: Card; readonly isShown: boolean };

/** Each reply is stored as told before the next one. */
async function tellThread<Content>(work: ThreadWork<Content>, first: Content): Promise<DueEnd> {
  const { parts, kind, post, card, isShown } = work;
  const isNew = post.card === undefined;
  let { told } = post;
  let content = first;
  const passed = new Set<string>();
  const next = (): string | undefined => kind.lacks(content, { told, isShown, isNew }).find((key) => !passed.has(key));
  while (next() !== undefined) {
    const readable = await kind.read(post);
    if (readable.kind !== "content") {
      await save(work, { told });
      return readable.kind === "unknown" ? { ms: ASK_AGAIN_MS, isFailure: true } : "done";
    }
    ({ content } = readable);
    const key = next();
    if (key === undefined) break;
    const view = await kind.reply(content, key);
    if (view === undefined) {
      passed.add(key);
      continue;
    }
    await save(work, { told });
    const isAgain = told.includes(unsure(key));
    const reply = isAgain ? withContextLine(view, "Sent again: you may have it already.") : view;
    const posted = await parts.sender.post({ place: card.channelId, threadTs: card.ts }, reply);
    if (posted.kind === "blocked") {
      await save(work, { told });
      return waitForSomebody(work, { isTold: false });
    }
    if (posted.kind === "later" && !(posted.isMaybeSent && isAgain)) {
      if (posted.isMaybeSent) told = [...told, unsure(key)];
      await save(work, { told });
      return wait(work, { ...posted, isMaybeSent: false });
    }
    // One that Slack refuses for good is not tried again.
    told = [...told, key];
  }
  if (!isShown) {
    await save(work, { told });
    return waitForSomebody(work, { isTold: true });
  }
  const restMs = kind.restMs(content);
  await save(work, { told, restMs, isBlocked: false });
  return "done";
}
