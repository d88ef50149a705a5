import { randomUUID } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import type { Due, DueKindName, NextTime, Scheduled, Taking } from "../workflow/due.ts";
import type { Session } from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";
import { plainText } from "./schema/columns.ts";

// While a replica has a row, `at` is the end of its lease; otherwise it is the time from which on any replica may take it. So one
// index finds what is due and what a replica that died left behind.

type Writing = Pick<Session, "db" | "clock" | "textSealer">;

/** Makes work due now: after the attempt of a replica that has a lease of it, and after the back-off of a failed attempt. */
export async function scheduleDue({ db, clock, textSealer }: Writing, scheduled: Scheduled): Promise<void> {
  const { kind, teamId, payload } = scheduled;
  const key = plainText(scheduled.key);
  await db
    .insertInto("due")
    .values({
      kind,
      key,
      team_id: teamId,
      at: clock(),
      again_at: null,
      token: null,
      attempts: 0,
      payload: payload === undefined ? null : textSealer.seal(plainText(payload), dueBind({ kind, key })),
      created_at: clock(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "key"])
        .doUpdateSet({
          at: sql<string>`case when due.token is null and due.attempts = 0 then excluded.at else due.at end`,
          again_at: sql<string>`case when due.token is null then null else excluded.at end`,
          payload: sql<string>`excluded.payload`,
        })
        // A sweep may ask again every two seconds while the work fails: that writes nothing.
        .where(
          sql<SqlBool>`due.token is not null or due.attempts = 0 or due.payload is distinct from excluded.payload`,
        ),
    )
    .execute();
}

/** Adds work with a lease for this replica, which begins it at once. */
export async function beginDue(
  session: Pick<Session, "db" | "clock">,
  { kind, key, teamId, leaseMs }: Pick<Due, "kind" | "key" | "teamId" | "leaseMs">,
): Promise<Due> {
  const { db, clock } = session;
  const token = randomUUID();
  const row = await db
    .insertInto("due")
    .values({ kind, key, team_id: teamId, at: clock(leaseMs), token, attempts: 1, created_at: clock() })
    .returning("created_at")
    .executeTakeFirstOrThrow();
  const createdAt = new Date(row.created_at);
  return { kind, key, teamId, token, leaseMs, attempts: 1, payload: undefined, createdAt, takenAt: createdAt };
}

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
  const { db, clock, flavour, textSealer, log } = session;
  const token = randomUUID();
  const isMeant = only === undefined ? sql`` : sql` and key = ${only}`;
  const isDue = sql<SqlBool>`kind = ${kind} and at <= ${clock()}${isMeant}`;
  const keys = sql`select key from due where ${isDue} order by at limit ${most}`;
  // With `skip locked`, two replicas take different rows instead of waiting for each other. PostgreSQL evaluates an array once; it may run
  // a query in `in (…)` again for each row, and take more than `most`.
  const isOneOf =
    flavour === "postgres"
      ? sql<SqlBool>`key = any(array(${keys} for update skip locked))`
      : sql<SqlBool>`key in (${keys})`;
  const rows = await db
    .updateTable("due")
    .set({ token, at: clock(leaseMs), again_at: null, attempts: sql<number>`attempts + 1` })
    .where(isDue)
    .where(isOneOf)
    .returning(["key", "team_id", "attempts", "payload", "created_at"])
    .returning(clock().as("now"))
    .execute();
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

type Ours = Pick<Due, "kind" | "key" | "token">;

function isOurs({ kind, key, token }: Ours) {
  return sql<SqlBool>`kind = ${kind} and key = ${key} and token = ${token}`;
}

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

/** Deletes the row; if it was scheduled again during the lease, only ends the lease. False: the lease was lost. */
export async function endDue({ db }: Pick<Session, "db">, due: Ours): Promise<boolean> {
  const over = await db
    .deleteFrom("due")
    .where(isOurs(due))
    .where("again_at", "is", null)
    .returning("kind")
    .executeTakeFirst();
  if (over !== undefined) return true;
  const again = await db
    .updateTable("due")
    .set({ at: sql<string>`again_at`, again_at: null, token: null, attempts: 0 })
    .where(isOurs(due))
    .where("again_at", "is not", null)
    .returning("kind")
    .executeTakeFirst();
  return again !== undefined;
}

/** Ends the lease, and sets the next time unless one was scheduled during the lease. False: the lease was lost. */
export async function delayDue(
  { db, clock, textSealer }: Writing,
  due: Ours,
  { ms, at, payload, isFailure = false }: NextTime,
): Promise<boolean> {
  const row = await db
    .updateTable("due")
    .set({
      at: sql<string>`coalesce(again_at, ${at?.toISOString() ?? clock(ms)})`,
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
