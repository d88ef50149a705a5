import { randomUUID } from "node:crypto";
import { type Selectable, sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Who } from "../changes/stored-change.ts";
import type { Alert, NoticedEvent } from "../watch/alert.ts";
import type { Incident } from "../watch/incident.ts";
import type { AlertDrawing, IdIn, Notice, PlaceId, Placing } from "../workflow/ports.ts";
import { type Db, inBatches, type Session } from "./database/session.ts";
import { beginLease, holdLease } from "./leases.ts";
import { insertEvent } from "./events.ts";
import { EventJson, incidentOf } from "./rounds.ts";
import { fromJson, plainText } from "./schema/columns.ts";
import type { AlertTable, NoticeTable } from "./schema/tables.ts";
import type { Store } from "./store.ts";

/** At most one new message in a place within this time: more would be noise, and Slack allows about one a second. */
const MESSAGE_EVERY_MS = 30_000;
/** What has the same cause joins the card of the first within this time. */
const TOGETHER_MS = 60_000;

/** Places with something due that is on no card yet. */
export async function duePlaces({ db, clock }: Session): Promise<readonly PlaceId[]> {
  const rows = await db
    .selectFrom("notice")
    .select(["team_id", "place"])
    .distinct()
    .where(sql<SqlBool>`alert_id is null and due_at <= ${clock()}`)
    .execute();
  return rows.map(({ team_id: teamId, place }) => ({ teamId, place }));
}

/** A storm of more is told in several turns. */
const MOST_AT_ONCE = 1_000;

export async function dueNotices(session: Session, { teamId, place }: PlaceId): Promise<readonly Notice[]> {
  const { db, clock } = session;
  const rows = await db
    .selectFrom("notice")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("place", "=", place)
    .where(sql<SqlBool>`alert_id is null and due_at <= ${clock()}`)
    .orderBy("due_at")
    .limit(MOST_AT_ONCE)
    .execute();
  const subjects = await subjectsOf(session, rows);
  return rows.flatMap((row) => {
    const subject = subjects.get(row.id);
    if (subject === undefined) return [];
    return [{ id: row.id, subject, ripeAt: new Date(row.ripe_at), wasMuted: row.was_muted === 1 }];
  });
}

/** What rows are about, by their id. A row that can't be read is left out. */
async function subjectsOf(
  { db, textSealer, log }: Pick<Session, "db" | "textSealer" | "log">,
  rows: readonly Selectable<NoticeTable>[],
): Promise<ReadonlyMap<string, Incident | NoticedEvent>> {
  const ids = rows.flatMap(({ incident_id: id }) => (id === null ? [] : [id]));
  const found = await inBatches(ids, (some) => db.selectFrom("incident").selectAll().where("id", "in", some).execute());
  const subjects = new Map<string, Incident | NoticedEvent>();
  for (const row of found) subjects.set(row.id, incidentOf(textSealer, row));
  for (const { id, event } of rows) {
    if (event === null) continue;
    const read = fromJson(EventJson).safeParse(textSealer.open(event, `notice ${id}`));
    if (read.success) subjects.set(id, read.data);
    else log.warn({ notice: id }, "a notice can't be read and isn't told");
  }
  return subjects;
}

/** Puts notices on cards. Resolves to those that have to be drawn. */
export function placeNotices(session: Session, placing: Placing): Promise<readonly string[]> {
  return session.db.transaction().execute(async (tx) => {
    await holdBack(tx, placing);
    const tell = await untold(tx, placing);
    if (tell.length === 0) return [];
    await lockPlace(tx, placing);
    const drawn = new Set<string>();
    const put = async (some: Placing["tell"], alert: string): Promise<void> => {
      const ids = some.map(({ id }) => id);
      const placed = await inBatches(ids, (each) =>
        ofPlace(tx, placing).set({ alert_id: alert }).where("id", "in", each).returning("id").execute(),
      );
      if (placed.length === 0) return;
      drawn.add(alert);
      await tx
        .updateTable("alert")
        .set({ version: sql`version + 1`, stale: 1 })
        .where("id", "=", alert)
        .execute();
    };
    // Another replica may have told them while this one waited for the place.
    const rest = await joined(session, tx, { placing: { ...placing, tell: await untold(tx, placing) }, put });
    if (rest.length > 0 && (await mayPost(session, tx, placing))) {
      const id = randomUUID();
      const sort = [...new Set(rest.map((each) => each.sort))].join(" + ").slice(0, 200);
      await tx
        .insertInto("alert")
        .values(newAlert(session, placing, { id, sort }))
        .execute();
      await put(rest, id);
    }
    return [...drawn];
  });
}

/** Those of the notices that are on no card yet. */
async function untold(tx: Db, { teamId, place, tell }: Placing): Promise<Placing["tell"]> {
  const rows = await inBatches(
    tell.map(({ id }) => id),
    (ids) =>
      tx
        .selectFrom("notice")
        .select("id")
        .where("team_id", "=", teamId)
        .where("place", "=", place)
        .where("id", "in", ids)
        .where("alert_id", "is", null)
        .execute(),
  );
  const open = new Set(rows.map(({ id }) => id));
  return tell.filter(({ id }) => open.has(id));
}

function ofPlace(tx: Db, { teamId, place }: PlaceId) {
  return tx
    .updateTable("notice")
    .where("team_id", "=", teamId)
    .where("place", "=", place)
    .where("alert_id", "is", null);
}

async function holdBack(tx: Db, placing: Placing): Promise<void> {
  const { teamId, place, wait, drop } = placing;
  for (const { id, until, isMuted } of wait) {
    const set = { due_at: until.toISOString(), ...(isMuted && { was_muted: 1 }) };
    await ofPlace(tx, placing).set(set).where("id", "=", id).execute();
  }
  await inBatches(drop, async (ids) => {
    await tx
      .deleteFrom("notice")
      .where("team_id", "=", teamId)
      .where("place", "=", place)
      .where("id", "in", ids)
      .where("alert_id", "is", null)
      .execute();
    return [];
  });
}

/** One replica at a time decides about a place, until its transaction is over. */
async function lockPlace(tx: Db, { teamId, place }: PlaceId): Promise<void> {
  await tx
    .insertInto("told_place")
    .values({ team_id: teamId, place, message_at: null })
    .onConflict((conflict) => conflict.columns(["team_id", "place"]).doUpdateSet({ place }))
    .execute();
}

/** Whether a new message may be posted; then it counts as posted now. */
async function mayPost({ clock }: Session, tx: Db, { teamId, place }: PlaceId): Promise<boolean> {
  const row = await tx
    .updateTable("told_place")
    .set({ message_at: clock() })
    .where("team_id", "=", teamId)
    .where("place", "=", place)
    .where(sql<SqlBool>`(message_at is null or message_at <= ${clock(-MESSAGE_EVERY_MS)})`)
    .returning("place")
    .executeTakeFirst();
  return row !== undefined;
}

type Joining = {
  readonly placing: Placing;
  readonly put: (some: Placing["tell"], alert: string) => Promise<void>;
};

/** Puts notices on cards of their sort, and returns those that need a new one. */
async function joined({ clock }: Session, tx: Db, { placing, put }: Joining): Promise<Placing["tell"]> {
  const { teamId, place, tell } = placing;
  const rest: Placing["tell"][number][] = [];
  for (const [sort, some] of Map.groupBy(tell, (each) => each.sort)) {
    const joinsAny = some.some((each) => each.joinsAny);
    const isOpen = sql<SqlBool>`exists (select 1 from notice join incident on incident.id = notice.incident_id
      where notice.alert_id = alert.id and incident.over_at is null)`;
    const isYoung = sql<SqlBool>`created_at >= ${clock(-TOGETHER_MS)}`;
    const card = await tx
      .selectFrom("alert")
      .select("id")
      .where("team_id", "=", teamId)
      .where("place", "=", place)
      .where("sort", "=", sort)
      .where("nowhere", "=", 0)
      .where(joinsAny ? sql<SqlBool>`(${isOpen} or ${isYoung})` : isYoung)
      .orderBy("created_at", "desc")
      .limit(1)
      .executeTakeFirst();
    if (card === undefined) rest.push(...some);
    else await put(some, card.id);
  }
  return rest;
}

function newAlert(
  { clock }: Session,
  { teamId, place, ownerId }: Placing,
  { id, sort }: Pick<AlertTable, "id" | "sort">,
) {
  return {
    id,
    team_id: teamId,
    place,
    owner_id: ownerId,
    sort,
    created_at: clock(),
    told: "[]",
    version: 1,
    drawn_version: -1,
    stale: 1,
    nowhere: 0,
    posts: 0,
  };
}

/** Alerts whose card is out of date, and that nobody draws; oldest first. */
export async function undrawnAlerts(session: Session): Promise<readonly IdIn[]> {
  const due = session.db.selectFrom("alert").select(["id", "team_id"]).where(beginLease.isDue(session));
  const rows = await due.orderBy("created_at").execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

const ToldJson = z.array(z.string());

/** The right to draw an alert, with everything that it lists. */
export async function beginAlertDrawing(
  session: Session,
  id: string,
  teamId: string,
): Promise<AlertDrawing | undefined> {
  const { set, token } = beginLease.of(session);
  // Counted before it is posted: after a kill, whoever takes over knows that there may be a message already.
  const posts = sql<number>`case when card_ts is null then posts + 1 else posts end`;
  const row = await session.db
    .updateTable("alert")
    .set({ ...set, posts })
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .where(beginLease.isDue(session))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const notices = await noticesOn(session, id).execute();
  const subjects = await subjectsOf(session, notices);
  const all = notices.flatMap((each) => subjects.get(each.id) ?? []);
  const alert = alertOf(row, all);
  return { alert, token, posts: alert.card === undefined ? row.posts - 1 : row.posts };
}

function alertOf(row: Selectable<AlertTable>, subjects: readonly (Incident | NoticedEvent)[]): Alert {
  const { taken_by: userId, taken_name: name, taken_at: at, card_channel: channelId, card_ts: ts } = row;
  return {
    id: row.id,
    teamId: row.team_id,
    place: row.place,
    ownerId: row.owner_id,
    createdAt: new Date(row.created_at),
    version: row.version,
    card: channelId === null || ts === null ? undefined : { channelId, ts },
    incidents: subjects.filter((each) => "cause" in each),
    events: subjects.filter((each) => "event" in each),
    told: fromJson(ToldJson).catch([]).parse(row.told),
    taken: userId === null || name === null || at === null ? undefined : { userId, name, at: new Date(at) },
  };
}

/** Like `holdDrawing`, also with what the thread says by now. */
export async function holdAlertDrawing(
  session: Session,
  id: string,
  token: string,
  { card, told }: { readonly card?: Alert["card"]; readonly told?: readonly string[] } = {},
): ReturnType<Store["holdDrawing"]> {
  const held = await holdLease(session, "alert", { id, token, card });
  if (held === "held" && told !== undefined) {
    await session.db
      .updateTable("alert")
      .set({ told: JSON.stringify(told) })
      .where("id", "=", id)
      .execute();
  }
  return held;
}

type Drawn = Parameters<Store["markAlertDrawn"]>[1];

/** Stores that Slack shows this version, and gives the right back. After a lost right, it is drawn again. */
export async function markAlertDrawn(session: Session, id: string, drawn: Drawn): Promise<void> {
  const { token, version, isNowhere, restMs } = drawn;
  const ours = await session.db
    .updateTable("alert")
    .set({
      drawing_token: null,
      drawing_until: null,
      draw_after: session.clock(restMs),
      drawn_version: version,
      nowhere: isNowhere ? 1 : 0,
      stale: sql<number>`case when version = ${version} then 0 else 1 end`,
    })
    .where("id", "=", id)
    .where("drawing_token", "=", token)
    .returning("id")
    .executeTakeFirst();
  if (ours !== undefined) return;
  // What we drew may have replaced something newer.
  await session.db.updateTable("alert").set({ drawn_version: -1, stale: 1 }).where("id", "=", id).execute();
}

/** Without `isPosted`, Slack is known not to have taken it. */
export async function postponeAlertDrawing(
  { db, clock }: Session,
  id: string,
  token: string,
  { ms, isPosted }: { readonly ms: number; readonly isPosted: boolean },
): Promise<void> {
  const posts = sql<number>`case when card_ts is null then posts - 1 else posts end`;
  await db
    .updateTable("alert")
    .set({ drawing_token: null, drawing_until: null, draw_after: clock(ms), ...(!isPosted && { posts }) })
    .where("id", "=", id)
    .where("drawing_token", "=", token)
    .execute();
}

/** Somebody is on it. False: there is no such alert, or they were on it already. */
export function takeAlert(session: Session, { id, teamId }: IdIn, who: Who, event: NewHistoryEvent): Promise<boolean> {
  const { db, clock } = session;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable("alert")
      .set({
        taken_by: who.userId,
        taken_name: plainText(who.name),
        taken_at: clock(),
        version: sql`version + 1`,
        stale: 1,
        draw_after: null,
      })
      .where("id", "=", id)
      .where("team_id", "=", teamId)
      .where(sql<SqlBool>`(taken_by is null or taken_by <> ${who.userId})`)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(tx, session, event);
    return true;
  });
}

/** What went wrong, of all that an alert lists. */
export async function incidentsOn(session: Session, { id, teamId }: IdIn): Promise<readonly Incident[]> {
  const notices = await noticesOn(session, id).where("team_id", "=", teamId).execute();
  return [...(await subjectsOf(session, notices)).values()].filter((each) => "cause" in each);
}

function noticesOn({ db }: Session, alertId: string) {
  return db.selectFrom("notice").selectAll().where("alert_id", "=", alertId).orderBy("due_at");
}
