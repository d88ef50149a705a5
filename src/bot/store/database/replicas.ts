import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type LastHeartbeat, type LiveReplica, ReplicaReport } from "../../health/facts.ts";
import { inTransaction, removeRows, type Session, storeErrorOf, unusable } from "./session.ts";
import { randomBytes, randomUUID } from "node:crypto";
import type { StoreError } from "../../errors.ts";

/** Says that this replica lives for the next `leaseMs`, and what it says about itself; without a report, the last one stays. */
export async function beat(
  { db, clock, replicaId, leaseMs }: Pick<Session, "db" | "clock" | "replicaId" | "leaseMs">,
  report?: ReplicaReport,
): Promise<void> {
  const said = report === undefined ? {} : { report: JSON.stringify(report) };
  await db
    .insertInto("replica")
    .values({ id: replicaId, alive_until: clock(leaseMs), ...said })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ alive_until: clock(leaseMs), ...said }))
    .execute();
}

/** Replicas that are alive, by id. An older schema has no reports. */
export async function liveReplicas({ db, clock }: Pick<Session, "db" | "clock">): Promise<readonly LiveReplica[]> {
  const rows = await db.selectFrom("replica").selectAll().where("alive_until", ">=", clock()).orderBy("id").execute();
  return rows.map(({ id, report }) => ({ id, report: reportIn(report) }));
}

/** The newest heartbeat, if there is one: a replica that stops removes its row. */
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
function reportIn(text: string | null | undefined): ReplicaReport | undefined {
  try {
    return ReplicaReport.safeParse(JSON.parse(text ?? "null")).data;
  } catch {
    return undefined;
  }
}

/** All that live, without this one. */
export async function otherReplicas(session: Session): Promise<readonly LiveReplica[]> {
  return (await liveReplicas(session)).filter(({ id }) => id !== session.replicaId);
}

/** This replica stops: it counts as alive no longer. */
export async function leave({ db, replicaId }: Session): Promise<void> {
  await removeRows(db, "replica", { id: replicaId });
}

/** In a database of one process, all other replicas are gone. */
export async function forgetOthers({ db, replicaId }: Session): Promise<void> {
  await db.deleteFrom("replica").where("id", "!=", replicaId).execute();
}

/** Whether this replica's last heartbeat still counts, as SQL. */
export function isAlive({ clock, replicaId }: Session): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from replica where id = ${replicaId} and alive_until >= ${clock()})`;
}

/** About as much as a request with its rows. */
const ROOM_BYTES = 16 * 1024;

/**
 * Why a request can't be stored now: the database is away, read-only or full. It writes as much as a request needs and
 * removes it again, in one transaction: a heartbeat changes its row in place, for which a full database has room, too.
 */
export async function writeTrouble(session: Pick<Session, "db">): Promise<StoreError | undefined> {
  // Random, because PostgreSQL compresses text.
  const row = { id: randomUUID(), alive_until: "", report: randomBytes(ROOM_BYTES / 2).toString("hex") };
  try {
    await inTransaction(session, async ({ db }) => {
      await db.insertInto("replica").values(row).execute();
      await db.deleteFrom("replica").where("id", "=", row.id).execute();
    });
    return undefined;
  } catch (error) {
    // Also what is no trouble of the database elsewhere, such as a role that may only read.
    return storeErrorOf(error) ?? unusable(error instanceof Error ? error.message : String(error), error);
  }
}

/** The same for a replica. It claims nothing either while its lease is over. */
export async function troubleOf(session: Session): Promise<StoreError | undefined> {
  const trouble = await writeTrouble(session);
  if (trouble !== undefined) return trouble;
  try {
    const { rows } = await sql<{ alive: unknown }>`select ${isAlive(session)} as alive`.execute(session.db);
    return rows[0]?.alive ? undefined : unusable("it has stored no heartbeat for too long");
  } catch (error) {
    return storeErrorOf(error) ?? unusable(String(error), error);
  }
}
