import { type RawBuilder, sql, type SqlBool } from "kysely";
import { z } from "zod";
import { forEachInTurns, mapInTurns } from "../../platform/turns.ts";
import { levels } from "../../api/workload-status.ts";
import { WorkloadKind } from "../changes/change.ts";
import { optional } from "../optional.ts";
import { type Incident, type Kept, LastChange, type NoticedEvent } from "../watch/incident.ts";
import { watchedEvents } from "../watch/watch.ts";
import type { Due } from "../workflow/due-kinds.ts";
import type { ListKey, Round, RoundResult } from "../workflow/stored.ts";
import { delayDue, deleteDue, scheduleDue } from "./due.ts";
import { deletePosts, schedulePosts } from "./posts.ts";
import {
  BATCH,
  inBatches,
  inTransaction,
  replaced,
  rowsOf,
  type Session,
  slices,
  untilNone,
  WRITTEN_AT_ONCE,
} from "./database/session.ts";
import { LOST, type TextSealer } from "./database/text-sealer.ts";
import { Big, fromJson, parseRow, plainText, Time, toJson } from "./schema/columns.ts";
import { IncidentRow, ObservationRow, SeenJson } from "./schema/tables.ts";

// One replica at a time polls a list of an account. The result of a poll is written in one transaction, which
// holds only while the round is still ours: so nothing is found twice, and nothing that was found is lost.

const KeptJson: z.ZodType<Kept> = z.object({ seen: SeenJson, change: optional(LastChange) });

const Instant = z.union([z.date(), Time]);
export const EventJson: z.ZodType<NoticedEvent> = z.object({
  account: z.string(),
  region: z.string(),
  kind: WorkloadKind,
  name: z.string(),
  event: z.enum(watchedEvents),
  words: z.string(),
  level: z.enum(levels),
  at: Instant,
  unseenSince: optional(Instant),
});

const RoundRow = ObservationRow.extend({ lists: Big });

/** An incident with the name of its row, whose sealed part is bound to it. */
export function incidentOf(sealer: TextSealer, unread: { readonly id: string; readonly state: string }): Incident {
  const state = sealer.open(unread.state, `incident ${unread.id}`);
  const readable = state === LOST ? "{}" : state;
  const row = parseRow(IncidentRow, { ...unread, state: readable }, `The incident ${unread.id}`);
  const { endedBy: end, state: rest, ...same } = row;
  return { ...same, end, ...rest };
}

function ofList({ teamId, account, region, kind }: ListKey): RawBuilder<SqlBool> {
  return sql<SqlBool>`team_id = ${teamId} and account = ${account} and region = ${region} and kind = ${kind}`;
}

/** Adds rounds for lists that are watched, and ends the others with their incidents. */
export async function syncRounds(session: Session, jobsRegion: string): Promise<void> {
  const { db } = session;
  const watched = await db
    .selectFrom("watch")
    .select(["team_id", "account_username", "region", "kind"])
    .distinct()
    .where("is_digest", "=", 0)
    .where("paused_why", "is", null)
    .execute();
  const wanted = new Map<string, ListKey>();
  for (const { team_id: teamId, account_username: account, region, kind } of watched) {
    for (const each of kind === "" ? WorkloadKind.options : [WorkloadKind.parse(kind)]) {
      const list = { teamId, account, region: each === "job" ? jobsRegion : region, kind: each };
      wanted.set(roundKey(list), list);
    }
  }
  const rows = await rowsOf(db, "due", { kind: "round" });
  const scheduled = new Set(rows.map(({ key }) => key));
  for (const [key, list] of wanted) if (!scheduled.has(key)) await beginList(session, list);
  for (const key of scheduled) if (!wanted.has(key)) await endList(session, key, jobsRegion);
}

/** Names the row of `due` that makes the rounds of a list. */
function roundKey({ teamId, account, region, kind }: ListKey): string {
  return JSON.stringify([teamId, account, region, kind]);
}

const RoundKey = z.tuple([z.string(), z.string(), z.string(), WorkloadKind]);

/** Undefined for a key that Gantry didn't write. */
export function listOf(key: string): ListKey | undefined {
  const read = fromJson(RoundKey).safeParse(key);
  if (!read.success) return undefined;
  const [teamId, account, region, kind] = read.data;
  return { teamId, account, region, kind };
}

function beginList(session: Session, { teamId, account, region, kind }: ListKey): Promise<void> {
  return inTransaction(session, async (inside) => {
    const key = roundKey({ teamId, account, region, kind });
    await scheduleDue(inside, { kind: "round", key, teamId });
    await inside.db
      .insertInto("observation")
      .values({ team_id: teamId, account, region, kind, every_ms: 0, version: 0 })
      .onConflict((conflict) => conflict.columns(["team_id", "account", "region", "kind"]).doNothing())
      .execute();
  });
}

/** Deletes its stored state, so a later watch begins with a first poll. Locks the rows in the order in which a round's end does. */
async function endList(session: Session, key: string, jobsRegion: string): Promise<void> {
  const list = listOf(key);
  if (list === undefined) return deleteDue(session, { kinds: ["round"], key });
  const { teamId, account, region, kind } = list;
  // Somebody may have begun to watch it meanwhile.
  const isUnwatched = sql<SqlBool>`not exists (select 1 from watch where watch.team_id = ${teamId}
    and watch.account_username = ${account} and is_digest = 0 and paused_why is null and watch.kind in ('', ${kind})
    and ${kind === "job" ? sql`${jobsRegion}` : sql.ref("watch.region")} = ${region})`;
  return inTransaction(session, async (inside) => {
    const gone = await inside.db
      .deleteFrom("due")
      .where("kind", "=", "round")
      .where("key", "=", key)
      .where(isUnwatched)
      .returning("key")
      .executeTakeFirst();
    if (gone === undefined) return;
    await inside.db.deleteFrom("observation").where(ofList(list)).execute();
    await inside.db.deleteFrom("seen").where(ofList(list)).execute();
    const open = await inside.db
      .updateTable("incident")
      .set({ over_at: inside.clock(), ended_by: "unwatched" })
      .where(ofList(list))
      .where("over_at", "is", null)
      .returning("id")
      .execute();
    await scheduleAlerts(
      inside,
      open.map(({ id }) => id),
    );
  });
}

/** The state that the last poll stored; undefined when nobody watches the list any more. */
export async function roundOf({ db }: Session, due: Due): Promise<Round | undefined> {
  const list = listOf(due.key);
  if (list === undefined) return undefined;
  const row = await db
    .selectFrom("observation")
    .selectAll()
    .select(
      sql<number>`(select count(*) from observation as other where other.team_id = observation.team_id
        and other.account = observation.account)`.as("lists"),
    )
    .where(ofList(list))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { lookedAt: polledAt, everyMs, lists, version } = parseRow(RoundRow, row, "A row of observation");
  return { ...list, due, at: due.takenAt, polledAt, everyMs, failures: due.attempts - 1, lists, version };
}

/** Makes a round due now, or once more after the one that is on. */
export async function hint(session: Session, list: ListKey): Promise<void> {
  const { db } = session;
  const row = await db.selectFrom("observation").select("team_id").where(ofList(list)).executeTakeFirst();
  if (row !== undefined) await scheduleDue(session, { kind: "round", key: roundKey(list), teamId: list.teamId });
}

/** By name; undefined before the first poll, or when a row can't be read: the next poll then counts as the first. */
export async function keptOf(session: Session, list: ListKey): Promise<ReadonlyMap<string, Kept> | undefined> {
  const { db, textSealer, log } = session;
  const rows = await db.selectFrom("seen").select(["name", "state"]).where(ofList(list)).execute();
  const kept = new Map<string, Kept>();
  await forEachInTurns(rows, ({ name, state }) => {
    const read = fromJson(KeptJson).safeParse(textSealer.open(state, seenKey(list, name)));
    if (read.success) kept.set(name, read.data);
  });
  if (kept.size === rows.length) return kept;
  log.warn({ list: { ...list } }, "what was seen of a workload can't be read; the next look begins anew");
  return undefined;
}

export function seenKey({ teamId, account, region, kind }: ListKey, name: string): string {
  return `seen ${JSON.stringify([teamId, account, region, kind, name])}`;
}

/** Those that last, or ended within `withinMs`, by the time they began. */
export async function incidentsOf(session: Session, list: ListKey, withinMs: number): Promise<readonly Incident[]> {
  const rows = await session.db
    .selectFrom("incident")
    .selectAll()
    .where(ofList(list))
    .where(sql<SqlBool>`(over_at is null or over_at >= ${session.clock(-withinMs)})`)
    .orderBy("opened_at")
    .execute();
  return mapInTurns(rows, (row) => incidentOf(session.textSealer, row));
}

/** All of a round in one transaction. False: another replica has the round by now, and nothing was written. */
export function endRound(session: Session, round: Round, result: RoundResult): Promise<boolean> {
  const { isRead, everyMs, changed, gone } = result;
  const isOther = changed.length > 0 || gone.length > 0;
  return inTransaction(session, async (inside) => {
    const isOurs = await delayDue(inside, round.due, { ms: everyMs, isFailure: !isRead });
    if (!isOurs) return false;
    await inside.db
      .updateTable("observation")
      .set({
        every_ms: everyMs,
        ...(isRead && { looked_at: round.at.toISOString() }),
        ...(isOther && { version: sql<number>`version + 1` }),
      })
      .where(ofList(round))
      .execute();
    await writeSeen(inside, round, result);
    await writeIncidents(inside, result.incidents);
    await writeNotices(inside, round, result);
    // After the notices, as when notices are placed: rows are locked in one order.
    await scheduleAlerts(
      inside,
      result.incidents.map(({ id }) => id),
    );
    return true;
  });
}

async function writeSeen({ db, textSealer }: Session, list: ListKey, { changed, gone }: RoundResult): Promise<void> {
  const { teamId: team_id, account, region, kind } = list;
  for (const some of slices(changed, WRITTEN_AT_ONCE)) {
    const rows = some.map((kept) => ({
      team_id,
      account,
      region,
      kind,
      name: plainText(kept.seen.name),
      state: textSealer.seal(toJson(KeptJson, kept), seenKey(list, plainText(kept.seen.name))),
    }));
    await db
      .insertInto("seen")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["team_id", "account", "region", "kind", "name"]).doUpdateSet(replaced<"seen">("state")),
      )
      .execute();
  }
  await inBatches(gone.map(plainText), async (names) => {
    await db.deleteFrom("seen").where(ofList(list)).where("name", "in", names).execute();
  });
}

async function writeIncidents({ db, textSealer }: Session, incidents: readonly Incident[]): Promise<void> {
  for (const some of slices(incidents, WRITTEN_AT_ONCE)) {
    const rows = some.map((incident) => {
      const { shared, seen, unseenSince, overUnseenSince, restartsBefore, changedBefore } = incident;
      const dates = { unseenSince: unseenSince?.toISOString(), overUnseenSince: overUnseenSince?.toISOString() };
      const state = JSON.stringify({ shared, seen, ...dates, restartsBefore, changedBefore });
      return {
        id: incident.id,
        team_id: incident.teamId,
        account: incident.account,
        region: incident.region,
        kind: incident.kind,
        name: incident.name === undefined ? null : plainText(incident.name),
        cause: incident.cause,
        opened_at: incident.openedAt.toISOString(),
        over_at: incident.overAt?.toISOString() ?? null,
        ended_by: incident.end ?? null,
        times: incident.times,
        state: textSealer.seal(plainText(state), `incident ${incident.id}`),
      };
    });
    await db
      .insertInto("incident")
      .values(rows)
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet(replaced<"incident">("cause", "over_at", "ended_by", "times", "state")),
      )
      .execute();
  }
}

/** Messages that list one of them show something else by now. */
async function scheduleAlerts(session: Session, incidents: readonly string[]): Promise<void> {
  const listing = await inBatches(incidents, (ids) =>
    session.db
      .selectFrom("notice")
      .select("alert_id")
      .distinct()
      .where("incident_id", "in", ids)
      .where("alert_id", "is not", null)
      .execute(),
  );
  const alerts = new Set(listing.flatMap(({ alert_id: id }) => id ?? []));
  await schedulePosts(session, "alert", [...alerts]);
}

async function writeNotices({ db, textSealer }: Session, round: Round, { notices }: RoundResult): Promise<void> {
  for (const isOld of [true, false]) {
    const those = notices.filter((each) => each.isOld === isOld);
    for (const some of slices(those, WRITTEN_AT_ONCE)) {
      const rows = some.map(({ place, id, event, countsAt, dueAt }) => ({
        team_id: round.teamId,
        place,
        id,
        incident_id: event === undefined ? id : null,
        event: event === undefined ? null : textSealer.seal(plainText(toJson(EventJson, event)), `notice ${id}`),
        ripe_at: countsAt.toISOString(),
        due_at: dueAt.toISOString(),
        was_muted: 0,
        alert_id: null,
      }));
      const insert = db.insertInto("notice").values(rows);
      const key = ["team_id", "place", "id"] as const; // the primary key
      await (
        isOld
          ? insert.onConflict((conflict) => conflict.columns([...key]).doNothing())
          : insert.onConflict((conflict) =>
              conflict
                .columns([...key])
                .doUpdateSet(replaced<"notice">("due_at"))
                .where("notice.alert_id", "is", null),
            )
      ).execute();
    }
  }
}

/** An incident that is over is kept for so long. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

/** Removes what is long over, with its cards' rows; the messages stay in Slack. */
export async function pruneWatching(session: Session): Promise<void> {
  const { db, clock } = session;
  const before = clock(-KEEP_MS);
  await untilNone(() =>
    inTransaction(session, async ({ db: tx }) => {
      const old = tx.selectFrom("incident").select("id").where("over_at", "<", before).limit(BATCH);
      const gone = await tx.deleteFrom("incident").where("id", "in", old).returning("id").execute();
      if (gone.length === 0) return 0;
      const ids = gone.map(({ id }) => id);
      await tx.deleteFrom("notice").where("incident_id", "in", ids).execute();
      return ids.length;
    }),
  );
  const isLate = sql<SqlBool>`incident_id is null and due_at < ${before}`;
  await db.deleteFrom("notice").where(isLate).execute();
  const gone = await db
    .deleteFrom("alert")
    .where("created_at", "<", before)
    .where(sql<SqlBool>`not exists (select 1 from notice where notice.alert_id = alert.id)`)
    .returning("id")
    .execute();
  await inBatches(
    gone.map(({ id }) => id),
    async (ids) => {
      await deletePosts(db, sql<SqlBool>`kind = 'alert' and key in (${sql.join(ids)})`);
    },
  );
}
