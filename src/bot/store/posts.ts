import { randomUUID } from "node:crypto";
import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool, type UpdateObject } from "kysely";
import { z } from "zod";
import type { Announcement } from "../changes/history-event.ts";
import { type Card, wayBackDelivery } from "../changes/stored-change.ts";
import type { IdIn } from "../workflow/stored.ts";
import type { Due, DueKindName, NextTime } from "../workflow/due-kinds.ts";
import type { NewPost, PostKindName, Said, SavedPost, StoredPost, TakenPost } from "../workflow/posts.ts";
import {
  builtOnce,
  type Db,
  inBatches,
  inTransaction,
  rowOf,
  type Session,
  timeAt,
  updateRows,
} from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";
import { beginDue, delayDue, endDue, holdDue, isLeased, scheduleDue, scheduling } from "./due.ts";
import { fromJson, plainText, TermsJson } from "./schema/columns.ts";
import type { ChangeTable, PostTable, Tables } from "./schema/tables.ts";

// A message is delivered by the replica that has the lease of its row in `due`, whose key is the message's id.

type Writing = Pick<Session, "db" | "flavour" | "clock" | "textSealer" | "scheduled">;

/** Kinds of work that deliver messages. */
export const deliveries = ["post", "requester"] as const satisfies readonly DueKindName[]; // literal kinds

function deliveryOf(kind: PostKindName): (typeof deliveries)[number] {
  return kind === "requester" ? "requester" : "post";
}

/** Adds a message and schedules it; one that is there already stays as it is. */
export async function addPost(session: Writing, post: NewPost): Promise<void> {
  const { kind, teamId } = post;
  const id = await insertPost(session, post);
  if (id !== undefined) await scheduleDue(session, { kind: deliveryOf(kind), key: id, teamId });
  else if (kind === "change") await scheduleDue(session, { kind: "post", key: post.key, teamId });
}

/** Adds a message that has an id, or replaces what it says, and schedules it. */
export async function putPost(session: Writing, post: NewPost): Promise<void> {
  const { id = post.key, kind, teamId } = post;
  if ((await insertPost(session, { ...post, id })) === undefined) {
    await updateRows(session.db, "post", { having: { id }, set: { payload: sealedPayload(session, post) } });
  }
  await scheduleDue(session, { kind: deliveryOf(kind), key: id, teamId });
}

function sealedPayload({ textSealer }: Pick<Session, "textSealer">, post: Said): string | null {
  const { payload } = post;
  return payload === undefined ? null : textSealer.seal(plainText(payload), postBind(post));
}

/** Undefined: there is one already. */
async function insertPost(session: Writing, post: NewPost): Promise<string | undefined> {
  const { clock } = session;
  const { kind, key, teamId, place, fallback = null, insteadOf = null, posts = 0 } = post;
  const { id = randomUUID(), card } = post;
  const [row] = await insertedRows(session, {
    id,
    kind,
    key,
    team_id: teamId,
    payload: sealedPayload(session, post),
    place,
    instead_of: insteadOf,
    fallback,
    channel: card?.channelId ?? null,
    ts: card?.ts ?? null,
    posts,
    told: "[]",
    now: clock.shift(),
  });
  return row?.id;
}

type NewRow = Omit<Insertable<PostTable>, "created_at"> & { readonly now: string };

const insertedRows = builtOnce(({ db, flavour }, { now, ...row }: NewRow) =>
  db
    .insertInto("post")
    .values({ ...row, created_at: timeAt(flavour, now) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);

type ChangeRow = Pick<
  Selectable<ChangeTable>,
  "id" | "team_id" | "channel_id" | "requester_id" | "terms" | "delivery_id" | "undo_of"
>;

/** The card of a deploy tells of its automatic way back, which gets a card only to be approved. */
function isOnOtherCard({ terms, delivery_id: deliveryId, undo_of: undoOf }: ChangeRow): boolean {
  return terms === null && undoOf !== null && deliveryId === wayBackDelivery(undoOf);
}

/** The card of a Change, whose id is the Change's. */
function cardOf({ id, team_id: teamId, channel_id: channelId, requester_id: fallback, terms }: ChangeRow) {
  const { cardIn } = terms === null ? {} : fromJson(TermsJson).parse(terms);
  const place = cardIn ?? channelId;
  return { id, kind: "change", key: id, teamId, payload: undefined, place, fallback } as const satisfies NewPost; // a literal kind
}

/** Schedules the card of a Change, which gets one now if it has none. */
export async function addCard(session: Writing, row: ChangeRow & { readonly card?: string | null }): Promise<void> {
  const { id: key, team_id: teamId, card } = row;
  if (typeof card !== "string" && isOnOtherCard(row)) return;
  return typeof card === "string" ? scheduleDue(session, { kind: "post", key, teamId }) : addPost(session, cardOf(row));
}

/** The same for a replica that posts the card at once: it counts as posted. Undefined: there was a card, which is only scheduled. */
export async function beginCard(session: Writing, row: ChangeRow, leaseMs: number): Promise<TakenPost | undefined> {
  const post = { ...cardOf(row), posts: 1 };
  if ((await insertPost(session, post)) === undefined) {
    await addPost(session, post);
    return undefined;
  }
  const due = await beginDue(session, { kind: "post", key: post.id, teamId: post.teamId, leaseMs });
  const nothingYet = { insteadOf: undefined, card: undefined, sentKeys: [], listed: [], restUntil: undefined };
  return { due, post: { ...post, ...nothingYet, blockedAt: undefined, createdAt: due.createdAt } };
}

/** Gives a Change a card that has none, because it takes long. False: it had one. */
export async function showChange(session: Session, { id, teamId }: IdIn): Promise<boolean> {
  const row = await rowOf(session.db, "change", { id, team_id: teamId });
  if (row === undefined || isOnOtherCard(row)) return false;
  return inTransaction(session, async (inside) => {
    if ((await insertPost(inside, cardOf(row))) === undefined) return false;
    await scheduleDue(inside, { kind: "post", key: id, teamId });
    return true;
  });
}

/** Of a row of `change`: where its card is, as channel/ts; empty while it isn't posted, null without one. */
export const cardColumn = sql<string | null>`(select coalesce(channel || '/' || ts, '') from post
  where post.id = change.id)`.as("card");

/** Schedules the cards that these Changes have. */
export async function scheduleCards(
  { db, clock, scheduled }: Pick<Session, "db" | "clock" | "scheduled">,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .insertInto("due")
    .columns(["kind", "key", "team_id", "at", "attempts", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("post")
        .select([
          sql<"post">`'post'`.as("kind"),
          "id",
          "team_id",
          clock().as("at"),
          sql<number>`0`.as("attempts"),
          clock().as("created_at"),
        ])
        .where("id", "in", ids)
        .orderBy("id"),
    )
    .onConflict(scheduling)
    .execute();
  scheduled.isNow = true;
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
    await scheduleDue(session, { kind: deliveryOf(kind), key: id, teamId });
  }
}

/** With their rows of `due`. Resolves to their number. */
export async function deletePosts(tx: Db, rows: RawBuilder<SqlBool>): Promise<number> {
  await tx
    .deleteFrom("due")
    .where("kind", "in", deliveries)
    .where("key", "in", tx.selectFrom("post").select("id").where(rows))
    .execute();
  const deleted = await tx.deleteFrom("post").where(rows).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

const Texts = z.array(z.string());

function isOf({ key, teamId }: Pick<Due, "key" | "teamId">) {
  return sql<SqlBool>`id = ${key} and team_id = ${teamId}`;
}

/** Undefined: it is gone. */
export async function postOf(session: Session, due: Pick<Due, "key" | "teamId">): Promise<StoredPost | undefined> {
  const { key, teamId } = due;
  const [row] = await postRows(session, { key, teamId });
  return row === undefined ? undefined : storedPost(session, row);
}

const postRows = builtOnce(({ db }, due: Pick<Due, "key" | "teamId">) =>
  db.selectFrom("post").selectAll().where(isOf(due)),
);

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
    sentKeys: fromJson(Texts).catch([]).parse(row.told),
    listed: fromJson(Texts).catch([]).parse(row.listed),
    restUntil: time(row.rest_until),
    blockedAt: time(row.blocked_at),
    createdAt: new Date(row.created_at),
  };
}

/**
 * Stores what became of a message while this replica has its lease, and ends the lease or, with nothing else, renews it. Other
 * messages are stored in one transaction with it. `lost`: another replica has it, and nothing was stored; `adopted`: the same, but the new
 * card was stored, because there was none. `again`: it is over, and was scheduled again meanwhile.
 */
export async function savePost(
  session: Session,
  due: Due,
  saved: SavedPost,
): Promise<"held" | "again" | "adopted" | "lost"> {
  const { card, also, isOver } = saved;
  if (also !== undefined) {
    const { also: _, ...own } = saved;
    return inTransaction(session, async (inside) => {
      const isHeld = await holdDue(inside, due);
      if (isHeld) for (const each of also) await addPost(inside, each);
      return isHeld ? savePost(inside, due, own) : "lost";
    });
  }
  const set = columnsOf(session, saved);
  const changes = Object.keys(set).length > 0;
  if (changes && !(await isSaved(session, due, set)))
    return card !== undefined && (await isAdopted(session, due, card)) ? "adopted" : "lost";
  if (isOver) {
    const end = await endDue(session, due);
    // Another replica took the lease a moment ago, and this card is the only one.
    return end === "over" ? "held" : (end ?? (card === undefined ? "lost" : "adopted"));
  }
  return changes || (await holdDue(session, due)) ? "held" : "lost";
}

/** Unless another replica has it. */
async function isSaved(session: Session, due: Due, set: UpdateObject<Tables, "post">): Promise<boolean> {
  const ours = session.db.updateTable("post").set(set).where(isOf(due)).where(isLeased(session, due));
  return (await ours.returning("id").executeTakeFirst()) !== undefined;
}

async function isAdopted({ db }: Session, due: Due, card: Card): Promise<boolean> {
  const unposted = db.updateTable("post").set(placeOf(card)).where(isOf(due)).where("ts", "is", null);
  return (await unposted.returning("id").executeTakeFirst()) !== undefined;
}

/** A channel may have got another id since Slack took the message; only a direct message isn't where its place says. */
function placeOf({ channelId, ts }: Card) {
  return { channel: channelId.startsWith("D") ? channelId : sql<string>`place`, ts };
}

function columnsOf(session: Session, { card, posts, sentKeys, listed, says, restMs, isBlocked }: SavedPost) {
  const { clock } = session;
  return {
    ...(card && placeOf(card)),
    ...(posts !== undefined && { posts }),
    ...(sentKeys !== undefined && { told: JSON.stringify(sentKeys) }),
    ...(listed !== undefined && { listed: JSON.stringify(listed) }),
    ...(says !== undefined && { payload: sealedPayload(session, says) }),
    ...(restMs !== undefined && { rest_until: clock(restMs) }),
    ...(isBlocked !== undefined && { blocked_at: isBlocked ? sql<string>`coalesce(blocked_at, ${clock()})` : null }),
  };
}

/** Ends or delays other work, and schedules a message. False: its lease was lost. */
export function postDue(session: Session, due: Due, post: NewPost, next?: NextTime): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    const isOurs = next === undefined ? (await endDue(inside, due)) !== undefined : await delayDue(inside, due, next);
    if (isOurs) await addPost(inside, post);
    return isOurs;
  });
}

/** If it is still there. */
export async function deliverAgain(session: Session, due: Due): Promise<void> {
  const { kind, key, teamId } = due;
  const row = await session.db.selectFrom("post").select("id").where(isOf(due)).executeTakeFirst();
  if (row !== undefined) await scheduleDue(session, { kind, key, teamId });
}

/** Deletes a message, if the lease is held. Notices that it doesn't list become due again. */
export async function removePost(session: Session, due: Due, unlisted: readonly string[] = []): Promise<void> {
  await inTransaction(session, async (inside) => {
    if ((await endDue(inside, due)) === undefined) return;
    if (unlisted.length > 0) {
      const isOnIt = sql<SqlBool>`alert_id = (select key from post where id = ${due.key} and kind = 'alert')`;
      await inside.db.updateTable("notice").set({ alert_id: null }).where(isOnIt).where("id", "in", unlisted).execute();
    }
    await deletePosts(inside.db, sql<SqlBool>`id = ${due.key}`);
  });
}
