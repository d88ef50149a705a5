import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import { parseRow, Time } from "./schema/columns.ts";
import { goneOwners, isStillWith, keepLease } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import type { Delivery, NewDelivery } from "../workflow/ports.ts";

const DeliveryRow = z.object({ id: z.string(), sealed: z.string(), received_at: Time });

/** In place of the time of a delivery that came from a backup: it may have been carried out since. */
export const RESTORED = "2000-01-01T00:00:00.000Z";

/** As the partial index `delivery_unfinished` says it. */
const isOpen = sql<SqlBool>`finished_at is null`;

/** One statement: a person waits for it. False: it was delivered before. */
export async function accept(session: Session, { id, sealed }: NewDelivery): Promise<boolean> {
  await keepLease(session);
  const row = await session.db
    .insertInto("delivery")
    .values({ id, sealed, owner: session.replicaId, received_at: session.clock(), finished_at: null })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores only the id, as finished, so no replica begins it. False: the id was known already. */
export async function remember({ db, clock }: Session, id: string): Promise<boolean> {
  const row = await db
    .insertInto("delivery")
    .values({ id, sealed: null, owner: null, received_at: clock(), finished_at: clock() })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function isKnown({ db }: Session, id: string): Promise<boolean> {
  const row = await db.selectFrom("delivery").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/**
 * `remember` for a delivery that may be stored already: if it is this replica's, deletes its content and marks it
 * finished.
 */
export async function drop({ db, clock, replicaId }: Session, id: string): Promise<void> {
  const over = { sealed: null, owner: null, finished_at: clock() };
  await db
    .insertInto("delivery")
    .values({ id, received_at: clock(), ...over })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(over).where("delivery.owner", "=", replicaId))
    .execute();
}

/** Deletes the content. The id stays for a while, to recognise a repeated delivery. */
export async function finish({ db, clock }: Session, id: string): Promise<void> {
  await db
    .updateTable("delivery")
    .set({ sealed: null, owner: null, finished_at: clock() })
    .where("id", "=", id)
    .where(isOpen)
    .execute();
}

/** Unfinished ones of replicas that are gone, oldest first; each goes to one replica. */
export async function takeDeliveries(session: Session): Promise<readonly Delivery[]> {
  const { db, replicaId } = session;
  const taken: Delivery[] = [];
  for (const owner of await goneOwners(session, "delivery", isOpen)) {
    if (owner === replicaId) continue;
    const rows = await db
      .updateTable("delivery")
      .set({ owner: replicaId })
      .where(isOpen)
      .where(isStillWith(session, owner))
      .returningAll()
      .execute();
    for (const unread of rows) {
      const row = parseRow(DeliveryRow, unread, `Delivery ${unread.id}`);
      const isRestored = unread.received_at === RESTORED;
      taken.push({ id: row.id, sealed: row.sealed, receivedAt: row.received_at, ...(isRestored && { isRestored }) });
    }
  }
  return taken.toSorted((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime());
}
