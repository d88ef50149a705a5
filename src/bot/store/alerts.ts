import { randomUUID } from "node:crypto";
import { type Selectable, sql, type SqlBool } from "kysely";
import type { Alert, Incident, NoticedEvent, Taken } from "../watch/incident.ts";
import type { IdIn, Notice, PlaceId, Placing } from "../workflow/stored.ts";
import { forEachInTurns } from "../../platform/turns.ts";
import { type Db, inBatches, inTransaction, rowOf, type Session } from "./database/session.ts";
import { addPost, schedulePosts } from "./posts.ts";
import { EventJson, incidentOf } from "./rounds.ts";
import { fromJson } from "./schema/columns.ts";
import type { AlertTable, NoticeTable } from "./schema/tables.ts";

/** At most one new message in a place within this time: more would be noise, and Slack allows about one a second. */
const MESSAGE_EVERY_MS = 30_000;
/** What has the same cause joins the alert of the first within this time. */
const TOGETHER_MS = 60_000;

/** From so many on, what fails in the same way belongs together; before, a second failure is news that an edit would hide. */
const STORM = 3;

const RIGHTS_EVERY_MS = 10 * 60_000;

/**
 * Schedules two kinds of work: `place` for notices that are due and in no alert yet (key: workspace and place), and `rights` for the
 * permissions of the owners of watches (key: workspace).
 */
export async function scheduleWatching({ db, clock }: Session): Promise<void> {
  await sql`insert into due (kind, key, team_id, at, attempts, created_at) ${duePlaces(clock)}
    union all select distinct 'rights', team_id, team_id, ${clock(RIGHTS_EVERY_MS)}, 0, ${clock()} from watch
    where true on conflict do nothing`.execute(db);
}

/**
 * The same of `place`, at once after a round. While another round of the workspace is on or due, the next sweep does it: what fails
 * together is one message, and a place gets no second one soon. The same for requests and messages: a card may tell the incident.
 */
export async function placeAfterRound({ db, clock, scheduled }: Session): Promise<void> {
  const { numAffectedRows = 0n } = await sql`insert into due (kind, key, team_id, at, attempts, created_at)
    ${duePlaces(clock)} and not exists (select 1 from due where due.team_id = notice.team_id
      and kind in ('round', 'change', 'post') and (token is not null or at <= ${clock()}))
    on conflict do nothing`.execute(db);
  if (numAffectedRows > 0) scheduled.isNow = true;
}

function duePlaces(clock: Session["clock"]) {
  return sql`select distinct 'place', team_id || ' ' || place, team_id, ${clock()}, 0, ${clock()} from notice
    where alert_id is null and due_at <= ${clock()}`;
}

/** Notices of one turn; a larger storm takes several. */
const MOST_AT_ONCE = 1_000;

/** What is due in a place and in no alert yet. */
export async function dueNotices(session: Session, at: PlaceId): Promise<readonly Notice[]> {
  const { db, clock } = session;
  const rows = await db
    .selectFrom("notice")
    .selectAll()
    .where(isUnplaced(at))
    .where(sql<SqlBool>`due_at <= ${clock()}`)
    .orderBy("due_at")
    .limit(MOST_AT_ONCE)
    .execute();
  const subjects = await subjectsOf(session, rows);
  return rows.flatMap((row) => {
    const subject = subjects.get(row.id);
    if (subject === undefined) return [];
    return [{ id: row.id, subject, countsAt: new Date(row.ripe_at), wasMuted: row.was_muted === 1 }];
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
  await forEachInTurns(found, (row) => subjects.set(row.id, incidentOf(textSealer, row)));
  for (const { id, event } of rows) {
    if (event === null) continue;
    const read = fromJson(EventJson).safeParse(textSealer.open(event, `notice ${id}`));
    if (read.success) subjects.set(id, read.data);
    else log.warn({ notice: id }, "a notice can't be read and isn't told");
  }
  return subjects;
}

/**
 * Adds notices to alerts and schedules their messages. A notice joins an alert with its group key, as it says; the rest share a new
 * alert. A place gets at most one new alert in 30 s: until then, notices stay due.
 */
export function placeNotices(session: Session, placing: Placing): Promise<void> {
  return inTransaction(session, async (inside) => {
    await holdBack(inside.db, placing);
    const tell = await unplaced(inside.db, placing);
    if (tell.length === 0) return;
    await lockPlace(inside.db, placing);
    const listed = new Set<string>();
    const put = async (some: Placing["tell"], alert: string): Promise<void> => {
      const ids = some.map(({ id }) => id);
      const placed = await inBatches(ids, (each) =>
        inside.db
          .updateTable("notice")
          .set({ alert_id: alert })
          .where(isUnplaced(placing))
          .where("id", "in", each)
          .returning("id")
          .execute(),
      );
      if (placed.length > 0) listed.add(alert);
    };
    // Another replica may have placed them while this one waited for the lock.
    const rest = await joined(inside, { placing: { ...placing, tell: await unplaced(inside.db, placing) }, put });
    if (rest.length > 0 && (await mayPost(inside, placing))) {
      const id = randomUUID();
      const groupKeys = [...new Set(rest.map((each) => each.groupKey))].join(" + ").slice(0, 200);
      await inside.db
        .insertInto("alert")
        .values({ id, team_id: placing.teamId, sort: groupKeys, created_at: inside.clock(), is_handed: 0 })
        .execute();
      await put(rest, id);
      const { teamId, place } = placing;
      await addPost(inside, { kind: "alert", key: id, teamId, payload: undefined, place, fallback: undefined });
      listed.delete(id);
    }
    await schedulePosts(inside, "alert", [...listed]);
  });
}

/** The notices that are in no alert yet. */
async function unplaced(tx: Db, placing: Placing): Promise<Placing["tell"]> {
  const ids = placing.tell.map(({ id }) => id);
  const rows = await inBatches(ids, (some) =>
    tx.selectFrom("notice").select("id").where(isUnplaced(placing)).where("id", "in", some).execute(),
  );
  const open = new Set(rows.map(({ id }) => id));
  return placing.tell.filter(({ id }) => open.has(id));
}

/** A condition on a row of `notice`. */
function isUnplaced({ teamId, place }: PlaceId) {
  return sql<SqlBool>`team_id = ${teamId} and place = ${place} and alert_id is null`;
}

async function holdBack(tx: Db, placing: Placing): Promise<void> {
  const { wait, drop } = placing;
  for (const { id, until, isMuted } of wait) {
    const set = { due_at: until.toISOString(), ...(isMuted && { was_muted: 1 }) };
    await tx.updateTable("notice").set(set).where(isUnplaced(placing)).where("id", "=", id).execute();
  }
  await inBatches(drop, async (ids) => {
    await tx.deleteFrom("notice").where(isUnplaced(placing)).where("id", "in", ids).execute();
  });
}

/** Locks a place for this transaction. */
async function lockPlace(tx: Db, { teamId, place }: PlaceId): Promise<void> {
  await tx
    .insertInto("told_place")
    .values({ team_id: teamId, place, message_at: null })
    .onConflict((conflict) => conflict.columns(["team_id", "place"]).doUpdateSet({ place }))
    .execute();
}

/** Rate limit: whether a new message may be posted now. If so, it counts as posted. */
async function mayPost({ db, clock }: Session, { teamId, place }: PlaceId): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update told_place set message_at = ${clock()}
    where team_id = ${teamId} and place = ${place}
      and (message_at is null or message_at <= ${clock(-MESSAGE_EVERY_MS)})`.execute(db);
  return numAffectedRows > 0n;
}

type Joining = {
  readonly placing: Placing;
  readonly put: (some: Placing["tell"], alert: string) => Promise<void>;
};

/** Adds notices to recent alerts with their group key, and returns those that need a new alert. */
async function joined({ db, clock }: Session, { placing, put }: Joining): Promise<Placing["tell"]> {
  const { teamId, place, tell } = placing;
  const rest: Placing["tell"][number][] = [];
  for (const [groupKey, some] of Map.groupBy(tell, (each) => each.groupKey)) {
    const joins = some[0]?.joins ?? "storm";
    const isYoung = sql<SqlBool>`alert.created_at >= ${clock(-TOGETHER_MS)}`;
    const isStorm = sql<SqlBool>`${isYoung}
      and (select count(*) from notice where notice.alert_id = alert.id) >= ${sql.lit(STORM)}`;
    const fits = { young: isYoung, storm: isStorm, open: sql<SqlBool>`(${isOpen("alert.id")} or ${isYoung})` };
    const alert = await db
      .selectFrom("alert")
      .innerJoin("post", "post.key", "alert.id")
      .select("alert.id")
      .where("alert.sort", "=", groupKey)
      .where("post.team_id", "=", teamId)
      .where("post.kind", "=", "alert")
      .where("post.place", "=", place)
      .where(fits[joins])
      .orderBy("alert.created_at", "desc")
      .limit(1)
      .executeTakeFirst();
    if (alert === undefined) rest.push(...some);
    else await put(some, alert.id);
  }
  return rest;
}

/** An alert with everything that it lists; undefined when it is gone. */
export async function alertOf(session: Session, { id, teamId }: IdIn): Promise<Alert | undefined> {
  const { db } = session;
  const row = await rowOf(db, "alert", { id, team_id: teamId });
  if (row === undefined) return undefined;
  const notices = await db.selectFrom("notice").selectAll().where("alert_id", "=", id).orderBy("due_at").execute();
  const all = await subjectsOf(session, notices);
  const subjects = notices.flatMap((each) => {
    const subject = all.get(each.id);
    return subject === undefined ? [] : [{ ...subject, id: each.id }];
  });
  return {
    id,
    teamId,
    createdAt: new Date(row.created_at),
    incidents: subjects.filter((each) => "cause" in each),
    events: subjects.filter((each) => "event" in each),
    taken: takenOf(row),
  };
}

/** Something on an alert, whose id is in this column, still fails. */
export function isOpen(alertId: "alert.id" | "post.key") {
  return sql<SqlBool>`exists (select 1 from notice join incident on incident.id = notice.incident_id
    where notice.alert_id = ${sql.ref(alertId)} and incident.over_at is null)`;
}

function takenOf(row: Selectable<AlertTable>): Taken | undefined {
  const { taken_by: userId, taken_name: name, taken_at: at, taken_from: fromId, taken_from_name: fromName } = row;
  if (userId === null || name === null || at === null) return undefined;
  const own = { userId, name, at: new Date(at) };
  // An earlier version, which may run beside this one, only changes who is on it: the rest is about somebody else then.
  if (row.passed_at !== at || fromId === null || fromName === null) return { ...own, from: undefined, isHanded: false };
  return { ...own, from: { userId: fromId, name: fromName }, isHanded: row.is_handed === 1 };
}

/** Schedules messages without their rest: somebody waits for what they did. */
export async function drawAlerts(session: Session, ids: readonly string[]): Promise<void> {
  // Locks the rows of `due` first, as a delivery does.
  await schedulePosts(session, "alert", ids);
  await inBatches(ids, async (some) => {
    const posts = session.db.updateTable("post").set({ rest_until: null }).where("kind", "=", "alert");
    await posts.where("key", "in", some).execute();
  });
}

/** Schedules the messages of open incidents in a place: who may read them, whether they are watched, or until when they are muted has changed. */
export async function scheduleAlertsAt(session: Session, { teamId, place }: PlaceId): Promise<void> {
  const rows = await session.db
    .selectFrom("post")
    .select("key")
    .where("kind", "=", "alert")
    .where("team_id", "=", teamId)
    .where((where) => where.or([where("place", "=", place), where("instead_of", "=", place)]))
    .where(isOpen("post.key"))
    .execute();
  await drawAlerts(session, [...new Set(rows.map(({ key }) => key))]);
}
