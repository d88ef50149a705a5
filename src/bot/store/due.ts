import { randomUUID } from "node:crypto";
import { type OnConflictBuilder, type RawBuilder, sql, type SqlBool } from "kysely";
import { FIRST_POLL_MS } from "../changes/service-poll.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Due, DueKindName, NextTime, Scheduled, Taking } from "../workflow/due-kinds.ts";
import type { ListKey } from "../workflow/stored.ts";
import { BATCH, builtOnce, type Session, slices, timeAt } from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";
import { plainText } from "./schema/columns.ts";
import type { Tables } from "./schema/tables.ts";

// With a lease, `at` is its end; otherwise it is the time from which any replica may take the row. So one index finds due work and
// work whose replica died.

type Writing = Pick<Session, "db" | "flavour" | "clock" | "textSealer" | "scheduled">;

/** Makes work due now. A running attempt, or the back-off of a failed one, ends first. */
export async function scheduleDue(session: Writing, scheduled: Scheduled): Promise<void> {
  const { clock, textSealer } = session;
  const { kind, teamId, payload, inMs } = scheduled;
  const key = plainText(scheduled.key);
  const sealed = payload === undefined ? null : textSealer.seal(plainText(payload), dueBind({ kind, key }));
  const times = { now: clock.shift(), at: clock.shift(inMs) };
  await scheduledRows(session, { kind, key, team_id: teamId, payload: sealed, ...times });
  if (inMs === undefined || inMs <= 0) session.scheduled.isNow = true;
}

type NewDue = Pick<Due, "kind" | "key"> & { readonly team_id: string; readonly now: string; readonly at: string };

const scheduledRows = builtOnce(({ db, flavour }, { now, at, ...row }: NewDue & { readonly payload: string | null }) =>
  db
    .insertInto("due")
    .values({ ...row, at: timeAt(flavour, at), attempts: 0, created_at: timeAt(flavour, now) })
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

type Beginning = Pick<Due, "kind" | "key" | "teamId" | "leaseMs">;

/** Adds work with a lease for this replica, which begins it at once. */
export async function beginDue(session: Pick<Session, "db" | "flavour" | "clock">, work: Beginning): Promise<Due> {
  const due = await leaseDue(session, work);
  if (due === undefined) throw new Error(`${work.kind} ${work.key} is leased, though it is new`);
  return due;
}

/** Leases work to this replica, whether or not it was scheduled. Undefined: another attempt has it. */
export async function leaseDue(
  session: Pick<Session, "db" | "flavour" | "clock">,
  { kind, key, teamId, leaseMs }: Beginning,
): Promise<Due | undefined> {
  const { clock } = session;
  const token = randomUUID();
  const times = { now: clock.shift(), at: clock.shift(leaseMs) };
  const [row] = await begunRows(session, { kind, key, team_id: teamId, token, ...times });
  if (row === undefined) return undefined;
  const createdAt = new Date(row.created_at);
  return { kind, key, teamId, token, leaseMs, attempts: 1, payload: undefined, createdAt, takenAt: createdAt };
}

const begunRows = builtOnce(({ db, flavour }, { now, at, ...row }: NewDue & Pick<Due, "token">) =>
  db
    .insertInto("due")
    .values({ ...row, at: timeAt(flavour, at), attempts: 1, created_at: timeAt(flavour, now) })
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "key"])
        .doUpdateSet({
          token: sql<string>`excluded.token`,
          at: sql<string>`excluded.at`,
          attempts: 1,
          created_at: sql<string>`excluded.created_at`,
        })
        .where("due.token", "is", null),
    )
    .returning("created_at"),
);

/**
 * Binds a sealed payload to its row. Payloads of `watch news` and `delivery` were moved from former tables without being opened, so
 * this has to be what they were bound to there.
 */
export function dueBind({ kind, key }: { readonly kind: string; readonly key: string }): string | readonly string[] {
  return kind === "delivery" ? ["delivery", key] : `${kind} ${key}`;
}

/** Which kinds have work that is due. */
export async function dueKinds(session: Session): Promise<readonly string[]> {
  const rows = await kindsDue(session, { now: session.clock.shift() });
  return rows.map(({ kind }) => kind);
}

/** From one kind to the next in the index: thousands of rows may be due while Slack is down, and this is asked for each that ends. */
const kindsDue = builtOnce(({ db, flavour }, { now }: { readonly now: string }) => ({
  compile: () =>
    sql<Pick<Due, "kind">>`with recursive kinds(kind) as (
      select min(kind) from due
      union all select (select min(due.kind) from due where due.kind > kinds.kind) from kinds where kinds.kind is not null
    ) select kind from kinds where kind is not null
      and exists (select 1 from due where due.kind = kinds.kind and at <= ${timeAt(flavour, now)})`.compile(db),
}));

/** Takes the oldest due work of a kind. A payload that can't be opened is logged and left out. */
export async function takeDue(session: Session, { kind, leaseMs, most, key: only }: Taking): Promise<readonly Due[]> {
  const { clock, textSealer, log } = session;
  const token = randomUUID();
  const times = { now: clock.shift(), until: clock.shift(leaseMs) };
  const rows = await takenRows(session, { kind, token, most, ...times, ...(only !== undefined && { only }) });
  return rows.map((row) => {
    const { key } = row;
    const open = kind === "delivery" ? textSealer.openSealed : textSealer.open;
    const opened = row.payload === null ? undefined : open(row.payload, dueBind({ kind, key }));
    if (opened === LOST) log.error({ kind, key }, "the payload of due work can't be opened: its key is gone");
    return taken(row, { kind, token, leaseMs, payload: opened === LOST ? undefined : opened });
  });
}

type TakenRow = Pick<Tables["due"], "key" | "team_id" | "attempts" | "created_at"> & { readonly now: string };

function taken(
  { key, team_id: teamId, attempts, created_at: createdAt, now }: TakenRow,
  lease: Pick<Due, "kind" | "token" | "leaseMs" | "payload">,
): Due {
  return { ...lease, key, teamId, attempts, createdAt: new Date(createdAt), takenAt: new Date(now) };
}

const MOST_TOGETHER = 50;

/**
 * Leases the polls of followed workloads of a list that are due within so many milliseconds, or whose workload has one of these names.
 * Right after a Change, a status may be from before it: it isn't polled earlier than alone.
 * `isShared`: it leased some, or some were leased together with `beside`.
 */
export async function takeFollowed(
  session: Session,
  { teamId, account, region, kind }: ListKey,
  { withinMs, names = new Set(), beside }: SharedPoll,
): Promise<{ readonly isShared: boolean; readonly taken: readonly Due[] }> {
  const { db, clock, leaseMs } = session;
  const followed = await db
    .selectFrom("change")
    .innerJoin("due", (due) => due.on("due.kind", "=", "change").onRef("due.key", "=", "change.id"))
    .select(["change.id", "workload_name", "due.token"])
    .select(
      sql<number | boolean>`due.at <= ${clock(withinMs)} and settled_at <= ${clock(-FIRST_POLL_MS)}`.as("is_soon"),
    )
    .where("change.id", "<>", beside?.key ?? "")
    // As the index `change_workload` says it.
    .where(sql<SqlBool>`(settled_at is null or state = 'done' and health is null)`)
    .where("state", "=", "done")
    .where("change.team_id", "=", teamId)
    .where("account_username", "=", account)
    .where("workload_region", "=", region)
    .where("workload_kind", "=", kind)
    .execute();
  const keys = followed
    .filter(({ is_soon: isSoon, workload_name: name, token }) => token === null && (Boolean(isSoon) || names.has(name)))
    .slice(0, MOST_TOGETHER)
    .map(({ id }) => id);
  const isShared = keys.length > 0 || followed.some(({ token }) => token !== null && token === beside?.token);
  if (keys.length === 0) return { isShared, taken: [] };
  const token = randomUUID();
  const rows = await db
    .updateTable("due")
    .set({ token, at: clock(leaseMs), again_at: null, attempts: sql<number>`attempts + 1` })
    .where("kind", "=", "change")
    .where("token", "is", null)
    .where("key", "in", keys)
    .returning(["key", "team_id", "attempts", "created_at"])
    .returning(clock().as("now"))
    .execute();
  return { isShared, taken: rows.map((row) => taken(row, { kind: "change", token, leaseMs, payload: undefined })) };
}

type SharedPoll = {
  readonly withinMs: number;
  readonly names?: ReadonlySet<string>;
  /** The poll for which the list is read. */
  readonly beside?: Due | undefined;
};

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
export async function holdDue({ db, clock, textSealer }: Session, due: Due, payload?: string): Promise<boolean> {
  const row = await db
    .updateTable("due")
    .set({ at: clock(due.leaseMs), ...newPayload({ textSealer }, due, payload) })
    .where(isOurs(due))
    .returning("kind")
    .executeTakeFirst();
  return row !== undefined;
}

/** Renews leases; those that are lost stay so. */
export async function renewDue({ db, clock }: Session, kind: DueKindName, dues: readonly Due[]): Promise<void> {
  for (const some of slices(dues, BATCH)) {
    await db
      .updateTable("due")
      .set({ at: clock(some[0]?.leaseMs) })
      .where("kind", "=", kind)
      .where(
        "token",
        "in",
        some.map(({ token }) => token),
      )
      .execute();
  }
}

/** Whether the work is leased to this attempt, at least for a while from now, as SQL. */
export function isLeased({ clock }: Pick<Session, "clock">, due: Ours, forMs?: number): RawBuilder<SqlBool> {
  const lasts = forMs === undefined ? sql`` : sql` and at >= ${clock(forMs)}`;
  return sql<SqlBool>`exists (select 1 from due where ${isOurs(due)}${lasts})`;
}

/** In a database of one process, leases of earlier processes are over. */
export async function endLeases({ db, clock }: Pick<Session, "db" | "clock">): Promise<void> {
  await db
    .updateTable("due")
    .set({ token: null, at: clock(), again_at: null })
    .where("token", "is not", null)
    .execute();
}

/** Makes work due now that is scheduled for later; during a lease, as soon as that ends. */
function dueNow({ clock }: Pick<Session, "clock">) {
  return {
    at: sql<string>`case when token is null then ${clock()} else at end`,
    again_at: sql<string>`case when token is null then null else ${clock()} end`,
  };
}

/**
 * Makes other requests about a workload due when its run is over: those that wait for it, or also those that poll it. Skips locked rows:
 * two runs that end at once would deadlock.
 */
export async function makeOthersDue(
  session: Session,
  { id, teamId, workload: { kind, region, name } }: Pick<StoredChange, "id" | "teamId" | "workload">,
  which: "waiting" | "all",
): Promise<void> {
  const { db, clock, flavour } = session;
  // As the index `change_workload` says it.
  const ofWorkload = sql`select id from change where (settled_at is null or state = 'done' and health is null)
    and team_id = ${teamId} and workload_name = ${name} and workload_kind = ${kind} and workload_region = ${region}
    and state ${which === "all" ? sql`<> 'pending'` : sql`in ('approved', 'claimed')`}`;
  const isOther = sql<SqlBool>`kind = 'change' and key in (${ofWorkload}) and key <> ${id} and at > ${clock()}`;
  const isOneOf =
    flavour === "postgres"
      ? sql<SqlBool>`kind = 'change' and key = any(array(select key from due where ${isOther} for update skip locked))`
      : isOther;
  const others = db.updateTable("due").set(dueNow(session)).where(isOneOf);
  if ((await others.executeTakeFirst()).numUpdatedRows > 0) session.scheduled.isNow = true;
}

/** Deletes the row; if it was scheduled again during the lease, only ends the lease. Undefined: the lease was lost. */
export async function endDue(
  session: Pick<Session, "db" | "flavour">,
  due: Ours,
): Promise<"over" | "again" | undefined> {
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
  session: Pick<Session, "db" | "clock" | "textSealer" | "scheduled">,
  due: Ours,
  { ms, at, payload, isFailure = false }: NextTime,
): Promise<boolean> {
  const { db, clock, textSealer } = session;
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
    .returning(sql<number | boolean>`at <= ${clock()}`.as("is_now"))
    .executeTakeFirst();
  if (row?.is_now) session.scheduled.isNow = true;
  return row !== undefined;
}

/** Deletes work, also while a replica has a lease of it. */
export async function deleteDue(
  { db }: Pick<Session, "db">,
  { kinds, key }: { readonly kinds: readonly DueKindName[]; readonly key: string },
): Promise<void> {
  await db.deleteFrom("due").where("kind", "in", kinds).where("key", "=", key).execute();
}
