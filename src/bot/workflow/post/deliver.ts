import type { Card } from "../../changes/stored-change.ts";
import { type Post, sentAgain, toldInstead } from "../../views/kit/post.ts";
import { type Due, type DueEnd, LeaseLost } from "../due.ts";
import type { WorkflowParts } from "../ports.ts";
import type {
  CardHow,
  Kept,
  PostKind,
  PostKindName,
  PostStore,
  Readable,
  SavedPost,
  Sent,
  Shown,
  StoredPost,
} from "./post.ts";

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
export async function deliver(
  parts: DeliverParts,
  kinds: Readonly<Record<PostKindName, PostKind>>,
  due: Due,
): Promise<DueEnd> {
  const post = await parts.store.postOf(due);
  if (post === undefined) return "done";
  const { restUntil } = post;
  if (restUntil !== undefined && restUntil > due.takenAt) return { at: restUntil };
  try {
    return await draw({ parts, read: () => kinds[post.kind](post), due, post });
  } catch (error) {
    // What Slack took of ours may have replaced something newer.
    if (error instanceof LeaseLost) await parts.store.deliverAgain(due);
    throw error;
  }
}

type Work = {
  readonly parts: DeliverParts;
  readonly read: () => Promise<Readable>;
  readonly due: Due;
  readonly post: StoredPost;
};

/** Also renews the lease. Throws `LeaseLost`. */
async function save({ parts: { store }, due }: Work, saved: SavedPost = {}): Promise<void> {
  if ((await store.savePost(due, saved)) !== "held") throw new LeaseLost();
}

async function draw(work: Work): Promise<DueEnd> {
  const shown = await work.read();
  if (shown.kind === "unknown") return { ms: ASK_AGAIN_MS, isFailure: true };
  // One that is posted stays for what comes.
  if (shown.kind === "nothing") return shown.isOver || work.post.card === undefined ? remove(work) : "done";
  // It was posted and not removed: nothing updates it.
  if (shown.kept === undefined && work.post.card !== undefined) return remove(work);
  const placed = await place(work, shown);
  switch (placed.kind) {
    case "later":
      return wait(work, placed);
    case "blocked":
      return waitForSomebody(work, { told: work.post.told, isTold: false });
    case "gone":
      // Whatever is told from now on gets a message of its own.
      return remove(work);
    case "sent":
      if (shown.kept === undefined || (shown.isLast && placed.value.isShown)) return remove(work);
      return tellThread(work, placed.value, { listed: shown.listed, kept: shown.kept });
  }
}

async function remove({ parts, due }: Work): Promise<DueEnd> {
  await parts.store.removePost(due);
  return "ended";
}

type Placed = { readonly card: Card; readonly isShown: boolean };

async function place(work: Work, shown: Shown): Promise<Sent<Placed>> {
  const { parts, post } = work;
  const { card, posts } = post;
  if (card === undefined) return postNew(work, shown);
  const view = await viewOf(work, shown, { isAgain: posts > 1 });
  await save(work);
  const updated = await parts.sender.update(card, view);
  if (updated.kind === "sent") return { kind: "sent", value: { card, isShown: true } };
  // Its thread still tells.
  if (updated.kind === "blocked" && updated.by === "message") return { kind: "sent", value: { card, isShown: false } };
  if (updated.kind === "gone" && posts < MOST_POSTS) return postNew(work, shown);
  // Once more, the same update does no harm.
  return updated.kind === "later" ? { ...updated, isMaybeSent: false } : updated;
}

async function viewOf({ post: { insteadOf } }: Work, shown: Shown, how: CardHow): Promise<Post> {
  const view = await shown.card(how);
  return insteadOf === undefined ? view : toldInstead(view, insteadOf);
}

async function postNew(work: Work, shown: Shown): Promise<Sent<Placed>> {
  const { parts, due, post } = work;
  const { posts } = post;
  const view = await viewOf(work, shown, { isAgain: posts > 0 });
  // Counted before it is posted: whoever takes over after a kill knows that there may be a message already.
  await save(work, { posts: posts + 1 });
  const posted = await parts.sender.post({ place: post.place }, view);
  if (posted.kind !== "sent") {
    if (posted.kind !== "later" || !posted.isMaybeSent) await save(work, { posts });
    // A place that isn't there may come back, as a channel does whose bot is invited.
    return posted.kind === "gone" ? { kind: "blocked", by: "place" } : posted;
  }
  const card = posted.value;
  const kept = await parts.store.savePost(due, { card, ...(shown.listed && { listed: shown.listed }) });
  if (kept === "lost") await parts.sender.remove(card);
  if (kept !== "held") throw new LeaseLost();
  return { kind: "sent", value: { card, isShown: true } };
}

function wait({ post }: Work, { ms, isMaybeSent }: Extract<Sent<never>, { kind: "later" }>): DueEnd {
  const lostMs = isMaybeSent ? Math.min(TRY_AGAIN_MS * 2 ** post.posts, MOST_LOST_WAIT_MS) : 0;
  return { ms: Math.max(TRY_AGAIN_MS, ms, lostMs), isFailure: true };
}

/** In `told` once a person was scheduled to get it. */
const INSTEAD = "instead";

type Blocked = { readonly told: readonly string[]; /** Its thread can tell. */ readonly isTold: boolean };

/** Tried again with growing pauses. A person is told meanwhile, unless the thread can tell. */
async function waitForSomebody(work: Work, { told, isTold }: Blocked): Promise<DueEnd> {
  const { parts, due, post } = work;
  const { blockedAt, fallback } = post;
  const hasOther = fallback !== undefined && fallback !== post.place && !told.includes(INSTEAD);
  if (isTold || !hasOther) await save(work, { told, isBlocked: true });
  else {
    await save(work, { told: [...told, INSTEAD], isBlocked: true, instead: post });
    parts.wake();
  }
  if (blockedAt === undefined) {
    parts.log.warn({ post: post.id, kind: post.kind }, "Slack doesn't take a message until somebody changes something");
  }
  const blockedMs = blockedAt === undefined ? 0 : due.takenAt.getTime() - blockedAt.getTime();
  // Its thread is open for news, so that the pause ends with the next one.
  return { ms: Math.min(Math.max(BLOCKED_MS.least, blockedMs / 10), BLOCKED_MS.most), isFailure: !isTold };
}

/** Stored for a reply whose result is unknown. It is sent once more, with a note. */
const unsure = (key: string): string => `unsure ${key}`;

/** Each reply is stored as told before the next one. */
async function tellThread(
  work: Work,
  { card, isShown }: Placed,
  first: Pick<Shown, "listed"> & { readonly kept: Kept },
) {
  const { parts, post } = work;
  const isNew = post.card === undefined;
  let { told } = post;
  let { kept } = first;
  const passed = new Set<string>();
  const next = (): string | undefined => kept.lacks({ told, isShown, isNew }).find((key) => !passed.has(key));
  while (next() !== undefined) {
    const shown = await work.read();
    if (shown.kind !== "shown" || shown.kept === undefined) {
      await save(work, { told });
      return shown.kind === "unknown" ? { ms: ASK_AGAIN_MS, isFailure: true } : "done";
    }
    ({ kept } = shown);
    const key = next();
    if (key === undefined) break;
    const view = await kept.reply(key);
    if (view === undefined) {
      passed.add(key);
      continue;
    }
    const isAgain = told.includes(unsure(key));
    // Whoever takes over after a kill knows that it may be there.
    await save(work, { told: [...told.filter((each) => each !== unsure(key)), unsure(key)] });
    const reply = isAgain ? sentAgain(view) : view;
    const posted = await parts.sender.post({ place: card.channelId, threadTs: card.ts }, reply);
    if (posted.kind === "blocked") return waitForSomebody(work, { told, isTold: false });
    if (posted.kind === "later" && !(posted.isMaybeSent && isAgain)) {
      await save(work, { told: posted.isMaybeSent ? [...told, unsure(key)] : told });
      return wait(work, { ...posted, isMaybeSent: false });
    }
    // One whose first message is gone is not tried again.
    told = [...told.filter((each) => each !== unsure(key)), key];
    await save(work, { told });
  }
  if (!isShown) return waitForSomebody(work, { told, isTold: true });
  await save(work, { told, restMs: kept.restMs, isBlocked: false, ...(first.listed && { listed: first.listed }) });
  return "done";
}
