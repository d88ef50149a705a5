import type { Drawing, IdIn } from "../workflow/ports.ts";
import { randomUUID } from "node:crypto";
import { type Selectable, sql, type SqlBool } from "kysely";
import { Big, fromJson, toJson, ToldRepliesJson } from "./schema/columns.ts";
import { wholeChange } from "./find-change.ts";
import { eventsAfter } from "./events.ts";
import { partsOf, type StoredChange } from "../changes/stored-change.ts";
import type { Db, Session } from "./database/session.ts";
import { inWorkspace } from "./step.ts";
import type { Drawn, Postponed, Store, ToldNews } from "./store.ts";
import type { ChangeTable } from "./schema/tables.ts";

// Two rights over a Change that one replica has at a time, each with a token that proves it: to draw its card, and to tell its
// requester what the card doesn't show in time. Both end by themselves, so a replica that dies holds up nothing.

/**
 * Covers one call to Slack (`DRAWING_MS` in slack/clients.ts) and is renewed before each. If it were shorter, another
 * replica could post a second card during the call.
 */
export const DRAW_WITHIN_MS = 30_000;

/** A card that is out of date and that nobody draws now. The first line matches the index `change_undrawn` word for word. */
function isDue(session: Session) {
  return sql<SqlBool>`stale = 1 and nowhere = 0 and ${isFreeToDraw(session)}`;
}

function isFreeToDraw({ clock }: Session) {
  return sql<SqlBool>`(drawing_until is null or drawing_until < ${clock()})
    and (draw_after is null or draw_after <= ${clock()})`;
}

/** For a step that makes a card out of date: takes the drawing lease in the same statement, if it is free. */
export function takingDrawing(session: Session) {
  const { token, set } = newLease(session);
  const isOurs = sql`nowhere = 0 and ${isFreeToDraw(session)}`;
  return {
    token,
    set: {
      drawing_token: sql<string>`case when ${isOurs} then ${token} else drawing_token end`,
      drawing_until: sql<string>`case when ${isOurs} then ${set.drawing_until} else drawing_until end`,
    },
  };
}

function newLease({ clock }: Session) {
  const token = randomUUID();
  return { token, set: { drawing_token: token, drawing_until: clock(DRAW_WITHIN_MS) } };
}

/** Oldest first. */
export async function undrawn(session: Session): Promise<readonly IdIn[]> {
  const due = session.db.selectFrom("change").select(["id", "team_id"]).where(isDue(session));
  const rows = await due.orderBy("created_at").execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

/**
 * The right to draw, for a while, with what to draw. The rows of history are read after the update: a row that was added
 * in between belongs to a newer version and is told with that one, because the change at hand doesn't know its details.
 */
export async function beginDrawing(session: Session, id: string, teamId?: string): Promise<Drawing | undefined> {
  const { set, token } = newLease(session);
  const row = await session.db
    .updateTable("change")
    .set(set)
    .where("id", "=", id)
    .where(inWorkspace(teamId))
    .where(isDue(session))
    .returningAll()
    .returning(sql`(select max(seq) from event where change_id = change.id)`.as("last_seq"))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const change = await wholeChange(session, row);
  return drawingOf(session, { change, row, token, lastSeq: Big.parse(row.last_seq ?? 0) });
}

type Begun = {
  readonly change: StoredChange;
  readonly row: Pick<Selectable<ChangeTable>, "told_seq" | "told_replies" | "posts">;
  readonly token: string;
  /** The number of the newest row of its history. */
  readonly lastSeq: number;
};

/** The card to draw, and the new rows of history for its thread. */
export async function drawingOf(session: Session, { change, row, token, lastSeq }: Begun): Promise<Drawing> {
  const toldSeq = Big.parse(row.told_seq);
  if (lastSeq <= toldSeq) return { change, token, posts: row.posts, newEvents: [], told: [], newest: undefined };
  // A thread that has some replies of its news gets the others first. Newer news waits for the next drawing.
  const begun = row.told_replies === null ? undefined : fromJson(ToldRepliesJson).parse(row.told_replies);
  const { upTo: newest, keys: told } =
    begun === undefined || begun.upTo <= toldSeq ? { upTo: lastSeq, keys: [] } : begun;
  const events = hasThread(change) ? await eventsAfter(session, change.id, toldSeq) : [];
  const newEvents = events.filter(({ seq }) => seq <= newest);
  return { change, token, posts: row.posts, newEvents, told, newest };
}

/** The thread of a card tells what people decided, and of workloads that are or were in trouble. */
function hasThread(change: StoredChange): boolean {
  const seen = partsOf(change).map(({ health, progress }) => health ?? progress);
  const isTold = seen.some((each) => each?.kind === "trouble" || each?.recovered === true);
  return change.terms !== undefined || change.breakGlass || isTold;
}

/** Renews the right to draw, and stores a card that was just posted, or what its thread has. */
export async function holdDrawing(
  session: Session,
  id: string,
  token: string,
  { card, told }: NonNullable<Parameters<Store["holdDrawing"]>[2]> = {},
): ReturnType<Store["holdDrawing"]> {
  const replies = told === undefined ? {} : { told_replies: toJson(ToldRepliesJson, told) };
  const placed =
    card === undefined
      ? {}
      : { card_channel: card.channelId, card_ts: card.ts, nowhere: 0, posts: sql<number>`posts + 1` };
  const held = await session.db
    .updateTable("change")
    .set({ drawing_until: session.clock(DRAW_WITHIN_MS), ...placed, ...replies })
    .where("id", "=", id)
    .where("drawing_token", "=", token)
    .returning("id")
    .executeTakeFirst();
  if (held !== undefined) return "held";
  if (card === undefined) return "lost";
  const adopted = await session.db
    .updateTable("change")
    .set({ ...placed, drawn_version: -1, stale: 1 })
    .where("id", "=", id)
    .where("card_ts", "is", null)
    .where("nowhere", "=", 0)
    .returning("id")
    .executeTakeFirst();
  return adopted === undefined ? "lost" : "adopted";
}

const free = { drawing_token: null, drawing_until: null, draw_after: null };

/**
 * Stores what Slack shows now, and gives the right back. True: there is something to draw (again). Every row of history
 * comes with a new version, so a version that is still the same has told everything up to `toldSeq`.
 */
export async function markDrawn(session: Session, id: string, drawn: Drawn): Promise<boolean> {
  const { card, version, isShown = true } = drawn;
  const toldSeq = sql<number>`coalesce(cast(${drawn.toldSeq ?? null} as bigint), told_seq)`;
  const newer = sql`select 1 from event where change_id = change.id and seq > ${toldSeq}`;
  // A card with another `ts` than the one we know is one more message.
  const posts =
    card === undefined ? sql<number>`posts` : sql<number>`case when card_ts = ${card.ts} then posts else posts + 1 end`;
  const after = await session.db
    .updateTable("change")
    .set({
      ...free,
      ...columnsOf(card),
      posts,
      drawn_version: version,
      told_seq: toldSeq,
      stale: sql<number>`case when version = ${version} and not exists (${newer}) then 0 else 1 end`,
      ...(card !== undefined &&
        isShown && {
          owed_at: sql`case when version = ${version} and not (${isNotifying}) then null else owed_at end`,
        }),
    })
    .where("id", "=", id)
    .where("drawing_token", "=", drawn.token)
    .returning(["stale", "nowhere"])
    .executeTakeFirst();
  if (after === undefined) return session.db.transaction().execute((tx) => markDrawnTooLate(tx, id, drawn));
  return after.stale === 1 && after.nowhere === 0;
}

function columnsOf(card: Drawn["card"]) {
  return {
    card_channel: card?.channelId ?? null,
    card_ts: card?.ts ?? null,
    nowhere: card === undefined ? 1 : 0,
  };
}

/**
 * Another replica has the right by now, or had it: what we drew may have replaced something newer, so it is drawn again.
 * A message that we posted becomes the card when there is none yet, so that it is not posted twice.
 */
async function markDrawnTooLate(tx: Db, id: string, drawn: Drawn): Promise<boolean> {
  const row = await tx
    .updateTable("change")
    .set({ drawn_version: -1, stale: 1 })
    .where("id", "=", id)
    .returning(["card_ts", "posts", "told_seq", "nowhere"])
    .executeTakeFirst();
  if (row === undefined) return false;
  if (drawn.card !== undefined && row.card_ts === null && row.nowhere === 0) {
    const told_seq = Math.max(drawn.toldSeq ?? 0, Big.parse(row.told_seq));
    await tx
      .updateTable("change")
      .set({ ...columnsOf(drawn.card), posts: row.posts + 1, told_seq })
      .where("id", "=", id)
      .execute();
  }
  return true;
}

/** As `isNotifying` in changes/stored-change.ts. */
const isNotifying = sql<SqlBool>`notifies = 1 and settled_at is not null
  and (state = 'failed' or state = 'unknown' or (state = 'done' and health is not null))`;

/** Gives the right back; nobody has it before `ms` are over. */
export async function postponeDrawing(session: Session, id: string, token: string, wait: Postponed): Promise<void> {
  await session.db
    .updateTable("change")
    .set({
      ...free,
      draw_after: session.clock(wait.ms),
      ...(wait.isPosted === true && { posts: sql<number>`posts + 1` }),
      ...(wait.toldSeq !== undefined && { told_seq: wait.toldSeq }),
    })
    .where("id", "=", id)
    .where("drawing_token", "=", token)
    .execute();
}

/** Longer than one message to Slack may take. Renewed before each; after a kill, somebody else tells when it is over. */
const TELL_WITHIN_MS = 15_000;

/** A drawing that began so recently may still succeed. */
const JUST_MS = 1_500;

const isFree = ({ clock }: Session) => sql<SqlBool>`(telling_until is null or telling_until < ${clock()})`;

/** Changes whose card is late, so that their requester has to be told otherwise; oldest first. */
export async function overdueNews(session: Session): Promise<readonly IdIn[]> {
  const rows = await session.db
    .selectFrom("change")
    .select(["id", "team_id"])
    .where(sql<SqlBool>`owed_at is not null and owed_at <= ${session.clock()}`)
    .where(isFree(session))
    .orderBy("owed_at")
    .execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

type Wanted = Parameters<Store["beginTelling"]>[1] & { readonly teamId?: string | undefined };

/** The right to tell the requester, for a while, with what they were told before. */
export async function beginTelling(
  session: Session,
  id: string,
  { isOverdue, teamId }: Wanted,
): ReturnType<Store["beginTelling"]> {
  const row = await session.db
    .updateTable("change")
    .set({ telling_until: session.clock(TELL_WITHIN_MS) })
    .where("id", "=", id)
    .where(inWorkspace(teamId))
    .where(isOverdue ? sql<SqlBool>`owed_at <= ${session.clock()}` : sql<SqlBool>`owed_at is not null`)
    .where(isFree(session))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const token = row.telling_until ?? "";
  const at = new Date(Date.parse(token) - TELL_WITHIN_MS);
  const change = await wholeChange(session, row);
  return { change, token, told: row.told_news ?? undefined, at, isCardComing: isCardComing(row, at) };
}

type Row = Pick<Selectable<ChangeTable>, "stale" | "nowhere" | "posts" | "drawing_until" | "draw_after">;

function isCardComing({ stale, nowhere, posts, drawing_until, draw_after }: Row, at: Date): boolean {
  if (stale === 0 || nowhere === 1) return false;
  if (drawing_until === null) return draw_after === null && posts === 0;
  return Date.parse(drawing_until) - DRAW_WITHIN_MS > at.getTime() - JUST_MS;
}

/** Renews the right; the new token, or undefined when somebody else tells now. */
export async function holdTelling(session: Session, id: string, token: string): Promise<string | undefined> {
  const row = await session.db
    .updateTable("change")
    .set({ telling_until: session.clock(TELL_WITHIN_MS) })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .returning("telling_until")
    .executeTakeFirst();
  return row?.telling_until ?? undefined;
}

/** What happened since `version` stays owed. */
export async function markTold(session: Session, id: string, { token, version, news }: ToldNews): Promise<void> {
  await session.db
    .updateTable("change")
    .set({
      telling_until: null,
      ...(news !== undefined && { told_news: news }),
      owed_at: sql`case when version = ${version} then null else owed_at end`,
    })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .execute();
}

/** Gives the right back; nobody tries before `ms` are over. */
export async function postponeTelling(session: Session, id: string, token: string, ms: number): Promise<void> {
  await session.db
    .updateTable("change")
    .set({ telling_until: null, owed_at: session.clock(ms) })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .execute();
}
