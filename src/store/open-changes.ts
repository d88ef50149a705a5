import { sql, type SqlBool } from "kysely";
import type { StoredChange } from "../changes/stored-change.ts";
import { storedChange } from "./change-row.ts";
import { goneOwners, isStillWith } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { votesOf } from "./votes.ts";

/** As the partial index `change_open` says it, word for word: else it is not used. */
const isOpen = sql<SqlBool>`(state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null))`;

/**
 * Takes over what replicas that are gone left open, and returns all that is ours, oldest first. A row that can't be read
 * is logged and left out: the others have to be carried on all the same.
 */
export async function openChanges(session: Session): Promise<readonly StoredChange[]> {
  const { db, replicaId, textSealer } = session;
  for (const owner of await goneOwners(session, "change", isOpen)) {
    if (owner === replicaId) continue;
    await db.updateTable("change").set({ owner: replicaId }).where(isOpen).where(isStillWith(session, owner)).execute();
  }
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where(isOpen)
    .where("owner", "=", replicaId)
    .orderBy("created_at")
    .execute();
  const ids = rows.map(({ id }) => id);
  const votes = await votesOf(db, ids);
  return rows.flatMap((row) => {
    try {
      return [storedChange(textSealer, row, votes.get(row.id) ?? [])];
    } catch (err) {
      session.log.error({ err, change: row.id }, "a change cannot be read and is not carried on");
      return [];
    }
  });
}
