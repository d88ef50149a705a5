import { sql, type SqlBool } from "kysely";
import type { StoredChange } from "../changes/stored-change.ts";
import { goneOwners, isStillWith } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { wholeChanges } from "./find-change.ts";

/**
 * As the partial index `change_open` says it, word for word: else it is not used. Whoever carries on a request carries on
 * its parts.
 */
const isOpen = sql<SqlBool>`(state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null)
    or look_after is not null) and part_of is null`;

/** A followed workload is left alone between two looks. */
function isDue({ clock }: Session) {
  return sql<SqlBool>`(look_after is null or look_after <= ${clock()})`;
}

/**
 * Takes over what replicas that are gone left open, and returns all of ours that is due, oldest first. A row that can't be read
 * is logged and left out: the others have to be carried on all the same.
 */
export async function openChanges(session: Session): Promise<readonly StoredChange[]> {
  const { db, replicaId } = session;
  for (const owner of await goneOwners(session, "change", isOpen)) {
    if (owner === replicaId) continue;
    await db.updateTable("change").set({ owner: replicaId }).where(isOpen).where(isStillWith(session, owner)).execute();
  }
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where(isOpen)
    .where(isDue(session))
    .where("owner", "=", replicaId)
    .orderBy("created_at")
    .execute();
  return wholeChanges(session, rows, (id, err) => {
    session.log.error({ err, change: id }, "a change cannot be read and is not carried on");
  });
}
