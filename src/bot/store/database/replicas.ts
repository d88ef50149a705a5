import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type LastHeartbeat, type LiveReplica, ReplicaReport } from "../../health/facts.ts";
import type { Session } from "./session.ts";

/** Last renewal of this replica's lease, by both of its clocks. */
const renewedAt = new WeakMap<Session, Renewed>();
type Renewed = { readonly elapsedMs: number; readonly at: Date };

/** Says that this replica lives for the next `leaseMs`, and what it says about itself; without a report, the last one stays. */
export async function beat(session: Session, report?: ReplicaReport): Promise<void> {
  const { db, clock, machine, replicaId, leaseMs } = session;
  const started = { elapsedMs: machine.elapsedMs(), at: machine.now() };
  const said = report === undefined ? {} : { report: JSON.stringify(report) };
  await db
    .insertInto("replica")
    .values({ id: replicaId, alive_until: clock(leaseMs), ...said })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ alive_until: clock(leaseMs), ...said }))
    .execute();
  renewedAt.set(session, started);
}

/** Replicas whose lease isn't over, by id. */
export async function liveReplicas({ db, clock }: Pick<Session, "db" | "clock">): Promise<readonly LiveReplica[]> {
  const rows = await db
    .selectFrom("replica")
    .select(["id", "report"])
    .where("alive_until", ">=", clock())
    .orderBy("id")
    .execute();
  return rows.map(({ id, report }) => ({ id, report: reportIn(report) }));
}

/** The newest lease, if there is one: a replica that stops removes its row. */
export async function lastHeartbeat({ db }: Pick<Session, "db">): Promise<LastHeartbeat | undefined> {
  const row = await db
    .selectFrom("replica")
    .select(["alive_until", "report"])
    .orderBy("alive_until", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { overAt: row.alive_until, host: reportIn(row.report)?.host };
}

/** Undefined for one of another version that this one can't read. */
function reportIn(text: string | null): ReplicaReport | undefined {
  try {
    return ReplicaReport.safeParse(JSON.parse(text ?? "null")).data;
  } catch {
    return undefined;
  }
}

/**
 * Renews the lease before something becomes ours, unless enough of it is left to send that. With an expired lease, as
 * after an outage of the database or in a process that was paused, another replica would take it over immediately.
 */
export async function keepLease(session: Session): Promise<void> {
  const renewed = renewedAt.get(session);
  const spareMs = session.leaseMs - session.sendWithinMs;
  if (renewed !== undefined && ageMs(session, renewed) < spareMs / 2) return;
  await beat(session);
}

/**
 * The larger of two elapsed times: `elapsedMs` stops while the machine is suspended, the time of day can be set back.
 */
function ageMs({ machine }: Session, renewed: Renewed): number {
  return Math.max(machine.elapsedMs() - renewed.elapsedMs, machine.now().getTime() - renewed.at.getTime());
}

export async function otherReplicas(session: Session): Promise<readonly LiveReplica[]> {
  return (await liveReplicas(session)).filter(({ id }) => id !== session.replicaId);
}

/** Frees everything this replica holds. */
export async function leave({ db, replicaId }: Session): Promise<void> {
  await db.deleteFrom("replica").where("id", "=", replicaId).execute();
}

/** For a database of one process: all other replicas are gone. */
export async function forgetOthers({ db, replicaId }: Session): Promise<void> {
  await db.deleteFrom("replica").where("id", "!=", replicaId).execute();
}

/** Whether this replica's lease lasts for at least `ms` from now, as SQL. */
export function isAliveFor({ clock, replicaId }: Session, ms: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from replica where id = ${replicaId} and alive_until >= ${clock(ms)})`;
}

/** Who holds rows that are `open`, and lives no longer. */
export async function goneOwners(
  { db, clock }: Session,
  table: "change" | "delivery",
  open: RawBuilder<SqlBool>,
): Promise<readonly (string | null)[]> {
  const alive = sql`select id from replica where alive_until >= ${clock()}`;
  const { rows } = await sql<{ owner: string | null }>`select distinct owner from ${sql.table(table)}
    where ${open} and (owner is null or owner not in (${alive}))`.execute(db);
  return rows.map(({ owner }) => owner);
}

/**
 * Whether a row is still with this owner, and the owner still gone, as SQL. PostgreSQL looks again at the row itself when
 * another replica changed it meanwhile, not at what a subquery found before: so the owner that is expected is a value.
 */
export function isStillWith({ clock }: Session, owner: string | null): RawBuilder<SqlBool> {
  if (owner === null) return sql<SqlBool>`owner is null`;
  return sql<SqlBool>`owner = ${owner}
    and not exists (select 1 from replica where id = ${owner} and alive_until >= ${clock()})`;
}
