import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { StoreError } from "../../errors.ts";
import { isAlive } from "./replicas.ts";
import { inTransaction, type Session, storeErrorOf, unusable } from "./session.ts";

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
