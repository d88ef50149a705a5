import { randomUUID } from "node:crypto";
import type { Announcement } from "../changes/history-event.ts";
import { type RawBuilder, type Selectable, sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { Due, NextTime } from "../workflow/due.ts";
import type { NewPost, PostKindName, PostStore, SavedPost, StoredPost } from "../workflow/post/post.ts";
import { type Db, inBatches, type Session } from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";
import { delayDue, endDue, holdDue, scheduleDue } from "./due.ts";
import { fromJson, plainText } from "./schema/columns.ts";
import type { PostTable } from "./schema/tables.ts";

// A message is delivered by the replica that has the lease of its row in `due`, whose key is the message's id.

type Writing = Pick<Session, "db" | "clock" | "textSealer">;
/** Adds a message and schedules it; one that is there already stays as it is. */
export async function addPost(session: Writing, post: NewPost, insteadOf?: string): Promise<void> {
  const { db, clock, textSealer } = session;
  const { kind, key, teamId, payload, place, fallback = null, posts = 0 } = post;
  const { id = randomUUID(), card } = post;
  const row = await db
    .insertInto("post")
    .values({
      id,
      kind,
      key,
      team_id: teamId,
      payload: payload === undefined ? null : textSealer.seal(plainText(payload), postBind(post)),
      place,
      instead_of: insteadOf ?? null,
      fallback,
      channel: card?.channelId ?? null,
      ts: card?.ts ?? null,
      posts,
      told: "[]",
      created_at: clock(),
    })
    .onConflict((conflict) => conflict.columns(["kind", "key", "place"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row !== undefined) await scheduleDue(session, { kind: "post", key: row.id, teamId });
}

/** Schedules a message for everybody in a channel. */
export function announce(session: Writing, teamId: string, { id, channelId, payload }: Announcement): Promise<void> {
  return addPost(session, {
    id,
    kind: "announcement",
    key: id,
    teamId,
    payload,
    place: channelId,
    fallback: undefined,
  });
}

/** Binds a sealed payload to its row. */
export function postBind({ kind, key }: Pick<StoredPost, "kind" | "key">): string {
  return `post ${kind} ${key}`;
}

/** Schedules the messages that show one of these. */
export async function schedulePosts(session: Writing, kind: PostKindName, keys: readonly string[]): Promise<void> {
  const rows = await inBatches(keys, (some) =>
    session.db.selectFrom("post").select(["id", "team_id"]).where("kind", "=", kind).where("key", "in", some).execute(),
  );
  // In one order, so that no two transactions wait for each other.
  for (const { id, team_id: teamId } of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    await scheduleDue(session, { kind: "post", key: id, teamId });
  }
}

/** With their rows of `due`. */
export async function deletePosts(tx: Db, rows: RawBuilder<SqlBool>): Promise<void> {
  await tx
    .deleteFrom("due")
    .where("kind", "=", "post")
    .where("key", "in", tx.selectFrom("post").select("id").where(rows))
    .execute();
  await tx.deleteFrom("post").where(rows).execute();
}

const Texts = z.array(z.string());

function isOf({ key, teamId }: Pick<Due, "key" | "teamId">) {
  return sql<SqlBool>`id = ${key} and team_id = ${teamId}`;
}

/** Undefined: it is gone. */
export async function postOf(session: Session, due: Pick<Due, "key" | "teamId">): Promise<StoredPost | undefined> {
  const row = await session.db.selectFrom("post").selectAll().where(isOf(due)).executeTakeFirst();
  return row === undefined ? undefined : storedPost(session, row);
}

function storedPost({ textSealer, log }: Session, row: Selectable<PostTable>): StoredPost {
  const { id, kind, key, place, posts, channel, ts } = row;
  const payload = row.payload === null ? undefined : textSealer.open(row.payload, postBind(row));
  if (payload === LOST) log.error({ post: id, kind }, "what a message says can't be opened: its key is gone");
  const time = (value: string | null): Date | undefined => (value === null ? undefined : new Date(value));
  return {
    id,
    kind,
    key,
    teamId: row.team_id,
    payload: payload === LOST ? undefined : payload,
    place,
    insteadOf: row.instead_of ?? undefined,
    fallback: row.fallback ?? undefined,
    card: channel === null || ts === null ? undefined : { channelId: channel, ts },
    posts,
    told: fromJson(Texts).catch([]).parse(row.told),
    listed: fromJson(Texts).catch([]).parse(row.listed),
    restUntil: time(row.rest_until),
    blockedAt: time(row.blocked_at),
    createdAt: new Date(row.created_at),
  };
}

/** Renews the lease, and stores what became of the message, in one transaction. */
export function savePost(session: Session, due: Due, saved: SavedPost): ReturnType<PostStore["savePost"]> {
  const { card, posts, told, listed, restMs, isBlocked, instead } = saved;
  const { clock } = session;
  const placed = card === undefined ? {} : { channel: card.channelId, ts: card.ts };
  const set = {
    ...placed,
    ...(posts !== undefined && { posts }),
    ...(told !== undefined && { told: JSON.stringify(told) }),
    ...(listed !== undefined && { listed: JSON.stringify(listed) }),
    ...(restMs !== undefined && { rest_until: clock(restMs) }),
    ...(isBlocked !== undefined && { blocked_at: isBlocked ? sql<string>`coalesce(blocked_at, ${clock()})` : null }),
  };
  return session.db.transaction().execute(async (tx) => {
    const isHeld = await holdDue({ ...session, db: tx }, due);
    if (isHeld && Object.keys(set).length > 0) {
      await tx.updateTable("post").set(set).where(isOf(due)).execute();
    }
    if (isHeld && instead !== undefined) await addInstead({ ...session, db: tx }, instead);
    if (isHeld) return "held";
    if (card === undefined) return "lost";
    const adopted = await tx
      .updateTable("post")
      .set(placed)
      .where(isOf(due))
      .where("ts", "is", null)
      .returning("id")
      .executeTakeFirst();
    return adopted === undefined ? "lost" : "adopted";
  });
}

/** The same for a person, while its channel takes no message. */
async function addInstead(session: Writing, post: StoredPost): Promise<void> {
  const { kind, key, teamId, payload, place, fallback } = post;
  if (fallback !== undefined)
    await addPost(session, { kind, key, teamId, payload, place: fallback, fallback: undefined }, place);
}

/** Ends or delays other work, and schedules a message. False: its lease was lost. */
export function postDue(session: Session, due: Due, post: NewPost, next?: NextTime): Promise<boolean> {
  return session.db.transaction().execute(async (tx) => {
    const inside = { ...session, db: tx };
    const isOurs = next === undefined ? await endDue(inside, due) : await delayDue(inside, due, next);
    if (isOurs) await addPost(inside, post);
    return isOurs;
  });
}

/** If it is still there. */
export async function deliverAgain(session: Session, due: Due): Promise<void> {
  const { key, teamId } = due;
  const row = await session.db.selectFrom("post").select("id").where(isOf(due)).executeTakeFirst();
  if (row !== undefined) await scheduleDue(session, { kind: "post", key, teamId });
}

/** Unless another replica has the lease. */
export async function removePost({ db }: Session, due: Due): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (await endDue({ db: tx }, due)) await deletePosts(tx, sql<SqlBool>`id = ${due.key}`);
  });
}
