import { randomUUID } from "node:crypto";
import { type OnConflictBuilder, sql, type SqlBool } from "kysely";
import type { Due, DueKindName, DueStore, NextTime, Scheduled, Taking } from "../workflow/due.ts";
import { builtOnce } from "./database/built-once.ts";
import { type Session, timeAt } from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";
import { plainText } from "./schema/columns.ts";
import type { Tables } from "./schema/tables.ts";

// While a replica has a row, `at` is the end of its lease; otherwise it is the time from which on any replica may take it. So one
// index finds what is due and what a replica that died left behind.

type Writing = Pick<Session, "db" | "flavour" | "clock" | "textSealer">;

/** Makes work due now: after the attempt of a replica that has a lease of it, and after the back-off of a failed attempt. */
export async function scheduleDue(session: Writing, scheduled: Scheduled): Promise<void> {
  const { clock, textSealer } = session;
  const { kind, teamId, payload } = scheduled;
  const key = plainText(scheduled.key);
  const sealed = payload === undefined ? null : textSealer.seal(plainText(payload), dueBind({ kind, key }));
  await scheduledRows(session, { kind, key, team_id: teamId, payload: sealed, now: clock.shift() });
}

type NewDue = Pick<Due, "kind" | "key"> & { readonly team_id: string; readonly now: string };

const scheduledRows = builtOnce(({ db, flavour }, { now, ...row }: NewDue & { readonly payload: string | null }) =>
  db
    .insertInto("due")
    .values({ ...row, at: timeAt(flavour, now), attempts: 0, created_at: timeAt(flavour, now) })
    .onConflict(scheduling),
);

/** What scheduling does to work that is scheduled already. */
export function scheduling(conflict: OnConflictBuilder<Tables, "due">) {
  return (
    conflict
      .columns(["kind", "key"])
      .doUpdateSet({
        at: sql<string>`case when due.token is null and due.attempts = 0 then excluded.at else due.at end`,
        again_at: sql<string>`case when due.token is null then null else excluded.at end`,
        payload: sql<string>`excluded.payload`,
      })
      // A sweep may ask again every two seconds while the work fails: that writes nothing.
      .where(sql<SqlBool>`due.token is not null or due.attempts = 0 or due.payload is distinct from excluded.payload`)
  );
}

/** Adds work with a lease for this replica, which begins it at once. */
export async function beginDue(
  session: Pick<Session, "db" | "flavour" | "clock">,
  { kind, key, teamId, leaseMs }: Pick<Due, "kind" | "key" | "teamId" | "leaseMs">,
): Promise<Due> {
  const { clock } = session;
  const token = randomUUID();
  const until = clock.shift(leaseMs);
  const [row] = await begunRows(session, { kind, key, team_id: teamId, token, until, now: clock.shift() });
  if (row === undefined) throw new Error(`the work ${kind} ${key} was begun, and isn't stored`);
  const createdAt = new Date(row.created_at);
  return { kind, key, teamId, token, leaseMs, attempts: 1, payload: undefined, createdAt, takenAt: createdAt };
}

const begunRows = builtOnce(
  ({ db, flavour }, { now, until, ...row }: NewDue & { readonly token: string; readonly until: string }) =>
    db
      .insertInto("due")
      .values({ ...row, at: timeAt(flavour, until), attempts: 1, created_at: timeAt(flavour, now) })
      .returning("created_at"),
);

/**
 * Binds a sealed payload to its row. Payloads of `watch news` were moved from a former table without being opened, so this has to be
 * the text that they were bound to there.
 */
export function dueBind({ kind, key }: Pick<Due, "kind" | "key">): string {
  return `${kind} ${key}`;
}

/** Which kinds have work that is due, and how much. */
export async function dueKinds({ db, clock }: Session): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("due")
    .select("kind")
    .select((select) => select.fn.countAll<number | string>().as("count"))
    .where(sql<SqlBool>`at <= ${clock()}`)
    .groupBy("kind")
    .execute();
  return new Map(rows.map(({ kind, count }) => [kind, Number(count)]));
}

/** Takes the oldest due work of a kind. A payload that can't be opened is logged and left out. */
export async function takeDue(session: Session, { kind, leaseMs, most, key: only }: Taking): Promise<readonly Due[]> {
  const { clock, textSealer, log } = session;
  const token = randomUUID();
  const times = { now: clock.shift(), until: clock.shift(leaseMs) };
  const rows = await takenRows(session, { kind, token, most, ...times, ...(only !== undefined && { only }) });
  return rows.map((row) => {
    const { key } = row;
    const opened = row.payload === null ? undefined : textSealer.open(row.payload, dueBind({ kind, key }));
    if (opened === LOST) log.error({ kind, key }, "the payload of due work can't be opened: its key is gone");
    return {
      kind,
      key,
      teamId: row.team_id,
      token,
      leaseMs,
      attempts: row.attempts,
      payload: opened === LOST ? undefined : opened,
      createdAt: new Date(row.created_at),
      takenAt: new Date(row.now),
    };
  });
}

type TakingRows = Pick<Taking, "kind" | "most"> &
  Pick<Due, "token"> & { readonly now: string; readonly until: string; readonly only?: string };

const takenRows = builtOnce(({ db, flavour }, { kind, token, most, now, until, only }: TakingRows) => {
  const isMeant = only === undefined ? sql`` : sql` and key = ${only}`;
  const isDue = sql<SqlBool>`kind = ${kind} and at <= ${timeAt(flavour, now)}${isMeant}`;
  const keys = sql`select key from due where ${isDue} order by at limit ${most}`;
  // With `skip locked`, two replicas take different rows instead of waiting for each other. PostgreSQL evaluates an array once; it may run
  // a query in `in (…)` again for each row, and take more than `most`.
  const isOneOf =
    flavour === "postgres"
      ? sql<SqlBool>`key = any(array(${keys} for update skip locked))`
      : sql<SqlBool>`key in (${keys})`;
  return db
    .updateTable("due")
    .set({ token, at: timeAt(flavour, until), again_at: null, attempts: sql<number>`attempts + 1` })
    .where(isDue)
    .where(isOneOf)
    .returning(["key", "team_id", "attempts", "payload", "created_at"])
    .returning(timeAt(flavour, now).as("now"));
});

type Ours = Pick<Due, "kind" | "key" | "token">;

function isOurs({ kind, key, token }: Ours) {
  return sql<SqlBool>`kind = ${kind} and key = ${key} and token = ${token}`;
}

const endedRows = builtOnce(({ db }, ours: Ours) =>
  db.deleteFrom("due").where(isOurs(ours)).where("again_at", "is", null).returning("kind"),
);

/** A payload that was scheduled during the lease is newer, and stays. */
function newPayload({ textSealer }: Pick<Session, "textSealer">, due: Ours, payload: string | undefined) {
  if (payload === undefined) return {};
  const sealed = textSealer.seal(plainText(payload), dueBind(due));
  return { payload: sql<string>`case when again_at is null then ${sealed} else payload end` };
}

/** Renews the lease, and stores a payload. False: it is lost, and nothing was stored. */
export async function holdDue({ db, clock, textSealer }: Writing, due: Due, payload?: string): Promise<boolean> {
  const row = await db
    .updateTable("due")
    .set({ at: clock(due.leaseMs), ...newPayload({ textSealer }, due, payload) })
    .where(isOurs(due))
    .returning("kind")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the row; if it was scheduled again during the lease, only ends the lease. Undefined: the lease was lost. */
export async function endDue(session: Pick<Session, "db" | "flavour">, due: Ours): ReturnType<DueStore["endDue"]> {
  const { db } = session;
  const { kind, key, token } = due;
  if ((await endedRows(session, { kind, key, token })).length > 0) return "over";
  const again = await db
    .updateTable("due")
    .set({ at: sql<string>`again_at`, again_at: null, token: null, attempts: 0 })
    .where(isOurs(due))
    .where("again_at", "is not", null)
    .returning("kind")
    .executeTakeFirst();
  return again && "again";
}

/** Ends the lease, and sets the next time. What was scheduled during the lease comes sooner, unless the attempt failed. False: the lease was lost. */
export async function delayDue(
  { db, clock, textSealer }: Writing,
  due: Ours,
  { ms, at, payload, isFailure = false }: NextTime,
): Promise<boolean> {
  const next = at === undefined ? clock(ms) : sql<string>`${at.toISOString()}`;
  const row = await db
    .updateTable("due")
    .set({
      at: isFailure ? next : sql<string>`coalesce(again_at, ${next})`,
      again_at: null,
      token: null,
      attempts: isFailure ? sql<number>`attempts` : 0,
      ...newPayload({ textSealer }, due, payload),
    })
    .where(isOurs(due))
    .returning("kind")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes work, also while a replica has a lease of it. */
export async function deleteDue(
  { db }: Pick<Session, "db">,
  { kinds, key }: { readonly kinds: readonly DueKindName[]; readonly key: string },
): Promise<void> {
  await db.deleteFrom("due").where("kind", "in", kinds).where("key", "=", key).execute();
}
