import { sql, type SqlBool } from "kysely";
import type { StoredChange } from "../changes/stored-change.ts";
import { findBy, withVotes } from "./find-change.ts";
import type { Db, Session } from "./database/session.ts";
import type { NewChange } from "./store.ts";

// Must match the conditions of the partial indexes exactly, or the indexes are not used.
const undoCounts = sql<SqlBool>`state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')`;
const waits = sql<SqlBool>`state = 'pending' and wait_key is not null`;

/** The Change that kept this one from being added; undefined when it no longer conflicts. */
export async function findConflict(db: Db, { clock }: Session, change: NewChange): Promise<StoredChange | undefined> {
  const known = await findBy(db, "delivery_id", change.deliveryId);
  if (known !== undefined) return known;
  const undo = change.undoOf === undefined ? undefined : await findUndoOf(db, change.undoOf);
  if (undo !== undefined || change.waitKey === undefined) return undo;
  return findWaiting({ db, clock }, change.waitKey);
}

/** The pending or executed Undo of a Change. */
export async function findUndoOf(db: Db, id: string): Promise<StoredChange | undefined> {
  const row = await db.selectFrom("change").selectAll().where("undo_key", "=", id).where(undoCounts).executeTakeFirst();
  return row === undefined ? undefined : withVotes(db, row);
}

/** The pending, unexpired request with this key. */
export async function findWaiting({ db, clock }: Pick<Session, "db" | "clock">, waitKey: string) {
  const row = await db
    .selectFrom("change")
    .selectAll()
    .where("wait_key", "=", waitKey)
    .where(waits)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .executeTakeFirst();
  return row === undefined ? undefined : withVotes(db, row);
}

/** An expired request no longer blocks duplicates, even before the sweep has ended it. */
export async function freeOverdue(db: Db, { clock }: Session, waitKey: string | undefined): Promise<void> {
  if (waitKey === undefined) return;
  await db
    .updateTable("change")
    .set({ wait_key: null })
    .where("wait_key", "=", waitKey)
    .where(waits)
    .where("expires_at", "<=", clock())
    .execute();
}
