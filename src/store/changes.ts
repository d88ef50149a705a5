import { type Expression, sql, type SqlBool, type UpdateObject } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { ChangeState, StoredChange } from "../changes/stored-change.ts";
import { newChangeRow, storedChange } from "./change-row.ts";
import { insertEvent } from "./events.ts";
import { withVotes } from "./find-change.ts";
import { keepLease } from "./database/replicas.ts";
import { freeOverdue, findConflict } from "./duplicates.ts";
import type { Db, Session } from "./database/session.ts";
import type { NewChange } from "./store.ts";
import type { Tables } from "./schema/tables.ts";
import { votesOf } from "./votes.ts";

/** The conflicting Change can end between the insert and reading it; then the insert is tried again. */
const TRIES = 5;

/**
 * Adds a Change and its event. If its delivery already has a Change, another Undo of the same Change exists, or a
 * duplicate request is pending, returns that Change and adds nothing. Unique indexes decide, so of two at the same time
 * only one is added.
 */
export async function addChange(session: Session, change: NewChange, event: NewHistoryEvent): Promise<StoredChange> {
  if (change.state === "pending" && change.terms === undefined) {
    throw new Error("a Change that waits for votes needs the terms of its approval");
  }
  await keepLease(session);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await session.db.transaction().execute((tx) => tryToAdd(tx, session, { change, event }));
    if (stored !== undefined) return stored;
  }
  throw new Error(`Change ${change.id} can't be added, and the conflicting change can't be found`);
}

async function tryToAdd(
  tx: Db,
  session: Session,
  { change, event }: { readonly change: NewChange; readonly event: NewHistoryEvent },
): Promise<StoredChange | undefined> {
  if (change.state === "pending") await freeOverdue(tx, session, change.waitKey);
  const row = await tx
    .insertInto("change")
    .values({ ...newChangeRow(session, change), ...begin(session, change) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return findConflict(tx, session, change);
  await insertEvent(tx, session, { ...event, changeId: change.id });
  return storedChange(row, []);
}

/** A pending one has a time to live and no owner; an approved one is ours to carry out. */
function begin({ clock, replicaId }: Session, { state, expiresInMs }: NewChange) {
  return {
    created_at: clock(),
    expires_at: state === "pending" && expiresInMs !== undefined ? clock(expiresInMs) : null,
    approved_at: state === "approved" ? clock() : null,
    owner: state === "approved" ? replicaId : null,
  };
}

/** Those that wait for votes and may still get them, oldest first. */
export async function pendingChanges({ db, clock }: Session, teamId: string): Promise<readonly StoredChange[]> {
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where("team_id", "=", teamId)
    .where(sql<SqlBool>`state = 'pending'`)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .orderBy("created_at")
    .execute();
  const votes = await votesOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => storedChange(row, votes.get(row.id) ?? []));
}

export type Step = {
  readonly id: string;
  readonly from: readonly ChangeState[];
  readonly set: UpdateObject<Tables, "change">;
  /** What must also hold, in SQL. */
  readonly only?: readonly Expression<SqlBool>[];
  readonly event: NewHistoryEvent | undefined;
};

/**
 * One step in the life of a Change: one conditional UPDATE and its event. Undefined: it was somewhere else by then, and
 * nothing happened. The UPDATE comes first, because it takes the row's lock: what happens to a Change happens in a row.
 */
export async function step(tx: Db, session: Session, { id, from, set, only = [], event }: Step) {
  const row = await tx
    .updateTable("change")
    .set({ ...set, version: sql`version + 1`, stale: 1 })
    .where((where) => where.and([where("id", "=", id), where("state", "in", from), ...only]))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (event !== undefined) await insertEvent(tx, session, { ...event, changeId: id });
  if (row.undo_of !== null && cameToNothing.has(row.state)) await offerUndoAgain(tx, row.undo_of);
  return withVotes(tx, row);
}

const cameToNothing = new Set<ChangeState>(["rejected", "cancelled", "expired", "drifted", "failed"]);

/** An Undo that came to nothing took nothing back. */
async function offerUndoAgain(tx: Db, id: string): Promise<void> {
  await tx
    .updateTable("change")
    .set({ is_undone: 0, version: sql`version + 1`, stale: 1 })
    .where("id", "=", id)
    .where("is_undone", "=", 1)
    .execute();
}

/** A step in a transaction of its own. */
export function stepAlone(session: Session, what: Step): Promise<StoredChange | undefined> {
  return session.db.transaction().execute((tx) => step(tx, session, what));
}

/** True once, until that Undo comes to nothing. It waits for nothing and has no event: the Undo is a Change of its own. */
export async function markUndone({ db }: Session, id: string): Promise<boolean> {
  const row = await db
    .updateTable("change")
    .set({ is_undone: 1, version: sql`version + 1`, stale: 1 })
    .where("id", "=", id)
    .where("is_undone", "=", 0)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
