import type { Card } from "../../changes/stored-change.ts";
import { type Post, sentAgain, sentInstead } from "../../views/kit/post.ts";
import type { Due } from "../due-kinds.ts";
import { type DueEnd, LeaseLost } from "../due.ts";
import type { WorkflowParts } from "../ports.ts";
import type {
  Beside,
  CardHow,
  Kept,
  NewPost,
  PostKind,
  PostKindName,
  Readable,
  SavedPost,
  Sent,
  Shown,
  StoredPost,
  Unshown,
} from "../posts.ts";

export type DeliverParts = Pick<WorkflowParts, "log" | "sender"> & {
  readonly clock: Pick<WorkflowParts["clock"], "after" | "elapsedMs">;
  readonly store: Pick<WorkflowParts["store"], "postOf" | "savePost" | "deliverAgain" | "removePost">;
};

/** Slack couldn't say who may see it. */
const ASK_AGAIN_MS = 60_000;
const TRY_AGAIN_MS = 5_000;
/** The longest pause that Slack doesn't ask for. After a lost answer, each retry may post one more message. */
const MOST_GROWING_MS = 60_000;
/** A deleted message is posted once more. */
const MOST_POSTS = 2;
const BLOCKED_MS = { least: 60_000, most: 6 * 60 * 60_000 };
/** Blocked for so long, a message is tried again only when there is news. */
const BLOCKED_FOR_MS = 7 * 24 * 60 * 60_000;
/** One call to Slack ends within this time. */
const CALL_MS = 22_000;
/** After this time in a call to Slack, the person who waits gets another message. */
const PATIENCE_MS = 3_000;

/**
 * Posts or updates a message, and then its thread. Permissions are checked before each call to Slack, and its result is stored before
 * the next one. `counted`: this replica posts it for the first time, and has stored that. Rejects when the database doesn't answer.
 */
export async function deliver(
  parts: DeliverParts,
  kindOf: (kind: PostKindName) => PostKind,
  due: Due,
  counted?: StoredPost,
): Promise<DueEnd> {
  const post = counted ?? (await parts.store.postOf(due));
  if (post === undefined) return "done";
  const { restUntil } = post;
  if (restUntil !== undefined && restUntil > due.takenAt) return { at: restUntil };
  const beganMs = parts.clock.elapsedMs();
  const kind = kindOf(post.kind);
  const common = { parts, read: kind, due, isCounted: counted !== undefined };
  try {
    return await draw({ ...common, post, beganMs, heldMs: beganMs });
  } catch (error) {
    // What Slack took of ours may have replaced something newer.
    if (error instanceof LeaseLost) await parts.store.deliverAgain(due);
    throw error;
  }
}

type Work = {
  readonly parts: DeliverParts;
  readonly read: PostKind;
  readonly due: Due;
  /** As it was before this attempt, plus the keys of messages sent beside it. A deleted one counts as not posted. */
  post: StoredPost;
  readonly isCounted: boolean;
  readonly beganMs: number;
  /** When the lease was renewed last. */
  heldMs: number;
};

/** Throws `LeaseLost`, and then removes a card that was just posted, unless it is the only one. */
async function save({ parts: { store, sender }, due }: Work, saved: SavedPost): Promise<"held" | "again"> {
  const kept = await store.savePost(due, saved);
  if (kept === "held" || kept === "again") return kept;
  if (kept === "lost" && saved.card !== undefined) await sender.remove(saved.card);
  throw new LeaseLost();
}

/** Renews the lease if it could end during a call to Slack, which may take 20 s. Throws `LeaseLost`. */
async function hold(work: Work): Promise<void> {
  const { parts, due, heldMs } = work;
  const now = parts.clock.elapsedMs();
  if (now - heldMs <= due.leaseMs - CALL_MS) return;
  await save(work, {});
  work.heldMs = now;
}

/** What may be said now: asked before each call to Slack, because the one before it may have taken long. */
async function ask(work: Work, key?: string): Promise<Readable> {
  for (;;) {
    const asked = await work.read(work.post, key);
    if (asked.kind !== "unread") return asked;
    await asked.gather();
  }
}

type Unseen = Exclude<Readable, { readonly kind: "shown" }>;

async function draw(work: Work): Promise<DueEnd> {
  let shown = await ask(work);
  const { post } = work;
  const isPosted = post.card !== undefined;
  if (shown.kind !== "shown") return unseen(work, shown, isPosted);
  // It was posted and not removed: nothing updates it.
  if (shown.kept === undefined && isPosted) return remove(work);
  if (shown.responseUrl !== undefined) {
    if (await isAnswered(work, shown, shown.responseUrl)) return remove(work);
    shown = await ask(work);
    if (shown.kind !== "shown") return unseen(work, shown, isPosted);
  }
  const placed = await place(work, shown);
  switch (placed.kind) {
    case "unknown":
    case "nothing":
      return unseen(work, placed, true);
    case "later":
      return wait(work, shown, placed);
    case "blocked":
      return waitForSomebody(work, shown, { ...placed, why: placed.by });
    case "gone":
      // Later notices, and those that this message should have listed, get a new message.
      return shown.isAwaited ? waitForSomebody(work, shown, { ...placed, why: "gone" }) : remove(work, shown.listed);
    case "sent":
      if (shown.kept === undefined || (shown.isLast && placed.value.unshown === undefined)) return remove(work);
      return tellThread(work, placed.value, { ...shown, kept: shown.kept });
  }
}

/** One that is posted stays for what comes. */
async function unseen(work: Work, why: Unseen, isPosted: boolean): Promise<DueEnd> {
  if (why.kind === "unknown") return { ms: ASK_AGAIN_MS, isFailure: true };
  return why.isOver || !isPosted ? remove(work) : "done";
}

async function remove({ parts, due, post }: Work, listed: readonly string[] = []): Promise<DueEnd> {
  const unlisted = listed.filter((id) => !post.listed.includes(id));
  await parts.store.removePost(due, unlisted);
  return "ended";
}

async function isAnswered(work: Work, shown: Shown, responseUrl: string): Promise<boolean> {
  const { post } = work;
  const { posts } = post;
  const view = await viewOf(work, shown, { isAgain: posts > 0 });
  await hold(work);
  // Counted before the call, as a post is: its answer may be lost.
  await save(work, { posts: posts + 1 });
  const answered = await work.parts.sender.answer(responseUrl, view);
  if (answered === "maybe") work.post = { ...post, posts: posts + 1 };
  else if (!answered) await save(work, { posts });
  return answered === true;
}

type Placed = {
  readonly card: Card;
  readonly isStored: boolean;
  /** Slack doesn't let it be edited, so that it shows an earlier state. */
  readonly unshown: Extract<Sent<never>, { readonly kind: "blocked" }> | undefined;
};

async function place(work: Work, first: Shown): Promise<Sent<Placed> | Unseen> {
  const { card, posts } = work.post;
  if (card === undefined) return placeNew(work, first);
  const updated = await update(work, first, { card, isAgain: posts > 1 });
  if (updated.kind !== "gone" || posts >= MOST_POSTS) return updated;
  // A new message shows nothing that only the deleted one may go on showing.
  work.post = { ...work.post, card: undefined, listed: [] };
  const shown = await ask(work);
  return shown.kind === "shown" ? placeNew(work, shown) : shown;
}

async function placeNew(work: Work, shown: Shown): Promise<Sent<Placed> | Unseen> {
  const { posts } = work.post;
  const posted = await postNew(work, shown);
  if (posted.kind !== "sent") return posted;
  if (shown.opening !== undefined) {
    await save(work, { card: posted.value });
    const now = await ask(work);
    return now.kind === "shown" ? update(work, now, { card: posted.value, isAgain: posts > 0 }) : now;
  }
  // Stored with what follows, unless it is all.
  const isStored = shown.kept === undefined;
  if (isStored) await save(work, { card: posted.value });
  return { kind: "sent", value: { card: posted.value, isStored, unshown: undefined } };
}

async function update(work: Work, shown: Shown, { card, isAgain }: CardHow & { readonly card: Card }) {
  const view = await viewOf(work, shown, { isAgain });
  await hold(work);
  const updated = await patiently(work, shown, () => work.parts.sender.update(card, view));
  const placed = { card, isStored: true };
  if (updated.kind === "sent") return { kind: "sent", value: { ...placed, unshown: undefined } } as const; // a literal kind
  // Its thread still tells.
  if (updated.kind === "blocked" && updated.by === "message") {
    return { kind: "sent", value: { ...placed, unshown: updated } } as const; // a literal kind
  }
  // Once more, the same update does no harm.
  return updated.kind === "later" ? { ...updated, isMaybeSent: false } : updated;
}

async function viewOf({ post: { insteadOf } }: Work, shown: Shown, how: CardHow): Promise<Post> {
  const view = await shown.card(how);
  return insteadOf === undefined ? view : sentInstead(view, insteadOf);
}

async function postNew(work: Work, first: Shown): Promise<Sent<Card> | Unseen> {
  const { parts, post, isCounted } = work;
  const { place, posts } = post;
  const before = isCounted ? posts - 1 : posts;
  const send = async (shown: Shown, to: Pick<Shown, "threadTs" | "isBroadcast">): Promise<Sent<Card>> => {
    const view = shown.opening?.() ?? (await viewOf(work, shown, { isAgain: before > 0 }));
    // Stored before the call: after a kill, the next replica knows that the message may exist.
    await hold(work);
    if (!isCounted) await save(work, { posts: posts + 1 });
    const { threadTs, isBroadcast = false } = to;
    return patiently(work, shown, () =>
      parts.sender.post({ place, ...(threadTs !== undefined && { threadTs, isBroadcast }) }, view),
    );
  };
  let posted: Sent<Card> | Unseen = await send(first, first);
  if (posted.kind === "gone" && first.threadTs !== undefined && first.isOnlyInThread !== true) {
    // Whoever asked deleted their message.
    const now = await ask(work);
    posted = now.kind === "shown" ? await send(now, {}) : now;
  }
  if (posted.kind !== "sent" && (posted.kind !== "later" || !posted.isMaybeSent)) await save(work, { posts: before });
  // A missing place may come back: for example, when the bot is invited to the channel.
  return posted.kind === "gone" ? { ...posted, kind: "blocked", by: "place" } : posted;
}

type Saved = {
  readonly sentKeys: readonly string[];
  readonly also?: readonly NewPost[];
  readonly soonMs: number | undefined;
};

/** Makes a call to Slack. If it takes long, the person who waits for the message gets another one. */
async function patiently<Result>(work: Work, shown: Shown, call: () => Promise<Result>): Promise<Result> {
  const { clock, log } = work.parts;
  if (!shown.isAwaited) return call();
  const refusal = { reason: "Slack isn't taking it right now." };
  let telling: Promise<unknown> | undefined;
  let timer = clock.after(PATIENCE_MS, () => tell());
  const tell = (): void => {
    telling = tellBeside(work, shown, { why: "later", refusal }).then(
      (soonMs) => soonMs !== undefined && (timer = clock.after(soonMs, tell)),
      // After the call, it is tried again.
      (err: unknown) =>
        log.warn({ err, post: work.post.id }, "couldn't tell somebody beside a message that takes long"),
    );
  };
  try {
    return await call();
  } finally {
    timer.cancel();
    await telling;
    timer.cancel();
  }
}

/** Schedules a message beside this one. Resolves to the milliseconds until that has to be decided again. */
async function tellBeside(work: Work, shown: Shown, unshown: Omit<Unshown, "lateMs">): Promise<number | undefined> {
  const { soonMs, ...beside } = besides(work, shown, work.post.sentKeys, unshown);
  if (beside.also !== undefined) {
    await save(work, beside);
    work.post = { ...work.post, sentKeys: beside.sentKeys };
  }
  return soonMs;
}

/** The message beside this one, if it is due, and the keys to store with it. */
function besides(work: Work, shown: Shown, sentKeys: readonly string[], unshown?: Omit<Unshown, "lateMs">): Saved {
  const { parts, due, post, beganMs } = work;
  const sinceMs = due.takenAt.getTime() - due.createdAt.getTime();
  const late = unshown && { ...unshown, lateMs: sinceMs + parts.clock.elapsedMs() - beganMs };
  const { beside: byKind = (): Beside | undefined => instead(post, shown, late) } = shown;
  const beside = byKind(sentKeys, late);
  if (beside?.kind !== "tell") return { sentKeys, soonMs: beside?.ms };
  if (sentKeys.includes(beside.keys[0])) return { sentKeys, soonMs: undefined };
  return { sentKeys: [...sentKeys, ...beside.keys], also: beside.posts, soonMs: undefined };
}

/** The same message for people, while the channel takes none. The store adds none for who has it already. */
function instead(post: StoredPost, shown: Shown, unshown: Unshown | undefined): Beside | undefined {
  const { kind, key, teamId, payload, place, fallback, insteadOf } = post;
  if (unshown === undefined || insteadOf !== undefined) return undefined;
  // The message comes soon, or its thread has the news.
  if (unshown.why === "later" || (unshown.why === "message" && post.card !== undefined)) return undefined;
  const people = (shown.instead ?? (fallback === undefined ? [] : [fallback])).filter((person) => person !== place);
  if (people.length === 0) return undefined;
  const other = { kind, key, teamId, payload, fallback: undefined, insteadOf: place };
  const posts = people.map((person) => ({ ...other, place: person }));
  // The key has their number, so that who joins later is told, too.
  return { kind: "tell", keys: [people.length === 1 ? "instead" : `instead ${people.length}`], posts };
}

type Later = Extract<Sent<never>, { readonly kind: "later" }>;

async function wait(work: Work, shown: Shown, later: Later): Promise<DueEnd> {
  const { refusal, isMaybeSent } = later;
  const soonMs = await tellBeside(work, shown, { why: "later", refusal });
  return pause(work, shown, later, isMaybeSent ? undefined : soonMs);
}

function pause({ due }: Work, shown: Shown, { ms, isMaybeSent }: Later, soonMs = Number.POSITIVE_INFINITY): DueEnd {
  const sinceMs = due.takenAt.getTime() - due.createdAt.getTime();
  const growing = isMaybeSent ? TRY_AGAIN_MS * 2 ** (due.attempts - 1) : sinceMs / 10;
  // Unless Slack said when.
  const untilMs = ms > 0 ? ms : Math.min(growing, MOST_GROWING_MS);
  return {
    ms: Math.min(Math.max(TRY_AGAIN_MS, untilMs), soonMs),
    isFailure: isMaybeSent || !shown.isAwaited,
  };
}

/** Retries with back-off until somebody changes something. Meanwhile a person gets another message, unless the thread takes replies. */
async function waitForSomebody(
  work: Work,
  shown: Shown,
  unshown: Omit<Unshown, "lateMs">,
  sentKeys = work.post.sentKeys,
): Promise<DueEnd> {
  const { parts, due, post } = work;
  const { blockedAt } = post;
  const { soonMs = Number.POSITIVE_INFINITY, ...beside } = besides(work, shown, sentKeys, unshown);
  await save(work, { ...beside, isBlocked: true });
  if (blockedAt === undefined) {
    parts.log.warn({ post: post.id, kind: post.kind }, "Slack doesn't take a message until somebody changes something");
  }
  const blockedMs = blockedAt === undefined ? 0 : due.takenAt.getTime() - blockedAt.getTime();
  if (blockedMs > BLOCKED_FOR_MS) return "done";
  // What is wrong with a message itself seldom changes.
  const growing = unshown.why === "message" ? blockedMs : blockedMs / 10;
  const ms = Math.min(Math.max(BLOCKED_MS.least, growing), BLOCKED_MS.most, soonMs);
  // Its thread is open for news, so that the pause ends with the next one.
  return { ms, isFailure: !(unshown.why === "message" || shown.isAwaited), isDone: unshown.why === "thread" };
}

/** Stored for a reply whose result is unknown. It is sent once more, with a note. */
const unsure = (key: string): string => `unsure ${key}`;

/** Sends the replies that the thread lacks. Each is stored as sent before the next one. */
async function tellThread(
  work: Work,
  { card, isStored, unshown }: Placed,
  first: Shown & { readonly kept: Kept },
): Promise<DueEnd> {
  const { parts, post } = work;
  const isNew = post.card === undefined;
  const isShown = unshown === undefined;
  let unstored = isStored ? undefined : { card, ...(first.listed && { listed: first.listed }) };
  let { sentKeys } = post;
  let shown = first;
  let isThreadGone = false;
  const passed = new Set<string>();
  const next = (): string | undefined => shown.kept.lacks({ sentKeys, isShown, isNew }).find((key) => !passed.has(key));
  while (next() !== undefined) {
    if (unstored !== undefined) {
      await save(work, unstored);
      unstored = undefined;
    }
    const wanted = next();
    const now = await ask(work, wanted);
    if (now.kind !== "shown") return unseen(work, now, true);
    if (now.kept === undefined) return "done";
    shown = { ...now, kept: now.kept };
    const key = next();
    if (key === undefined || key !== wanted) continue;
    const view = await shown.kept.reply(key);
    if (view === undefined) {
      passed.add(key);
      continue;
    }
    const isAgain = sentKeys.includes(unsure(key));
    // Stored before the call: after a kill, the next replica knows that the reply may exist.
    await hold(work);
    await save(work, { sentKeys: [...sentKeys.filter((each) => each !== unsure(key)), unsure(key)] });
    const { channelId: place, ts } = card;
    const threadTs = isThreadGone ? ts : (shown.threadTs ?? ts);
    const posted = await parts.sender.post({ place, threadTs }, isAgain ? sentAgain(view) : view);
    if (posted.kind === "gone" && threadTs !== ts) {
      isThreadGone = true;
      continue;
    }
    if (posted.kind === "blocked") return waitForSomebody(work, shown, { ...posted, why: "thread" }, sentKeys);
    if (posted.kind === "later") {
      await save(work, { sentKeys: posted.isMaybeSent && !isAgain ? [...sentKeys, unsure(key)] : sentKeys });
      return pause(work, shown, { ...posted, isMaybeSent: posted.isMaybeSent && isAgain });
    }
    // Also when the thread is gone: a reply isn't retried then.
    sentKeys = [...sentKeys.filter((each) => each !== unsure(key)), key];
    const payload = shown.kept.saysAfter?.(key);
    await save(work, { sentKeys, ...(payload !== undefined && { says: { ...post, payload } }) });
    // The message is drawn again at once, with its new payload.
    if (payload !== undefined) return { ms: 0 };
  }
  const complete = shown.kept.complete?.(sentKeys) ?? sentKeys;
  if (complete.join() !== sentKeys.join()) sentKeys = complete;
  if (unshown !== undefined) return waitForSomebody(work, shown, { ...unshown, why: "message" }, sentKeys);
  const { sentKeys: all, also } = besides(work, shown, sentKeys);
  const { listed } = first;
  const { restMs } = shown.kept;
  const kept = await save(work, {
    ...unstored,
    // Only what is new, because most updates change nothing of it.
    ...(all !== post.sentKeys && { sentKeys: all }),
    ...(also && { also }),
    ...(restMs > 0 && { restMs }),
    ...(post.blockedAt !== undefined && { isBlocked: false }),
    ...(listed && listed.join() !== post.listed.join() && { listed }),
    isOver: true,
  });
  return kept === "again" ? "again" : "ended";
}
