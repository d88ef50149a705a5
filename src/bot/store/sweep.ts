import { type Expression, sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { requestIdOf, type StoredChange } from "../changes/stored-change.ts";
import type { IdIn } from "../workflow/ports.ts";
import type { Session } from "./database/session.ts";
import { insertEvent } from "./events.ts";
import { ended, inTransaction, move } from "./step.ts";
import { goneOwners, isStillWith } from "./database/replicas.ts";
import { changeRows, wholeChanges } from "./find-change.ts";

/**
 * Ends what nobody decided or carried out in time, whoever owns it. `event` gets the Change with its ending, which says
 * what it was.
 */
export async function expireDue(
  session: Session,
  approvedMs: number,
  event: (change: StoredChange) => NewHistoryEvent,
): Promise<readonly StoredChange[]> {
  const { db, clock } = session;
  const conditions = {
    pending: () => sql<SqlBool>`expires_at <= ${clock()}`,
    approved: () => sql<SqlBool>`approved_at <= ${clock(-approvedMs)}`,
  };
  const expired: StoredChange[] = [];
  for (const was of ["pending", "approved"] as const) {
    // the two literals
    const due = await db
      .selectFrom("change")
      .select("id")
      .where(sql<SqlBool>`state = ${sql.lit(was)}`)
      .where(conditions[was]())
      .orderBy("created_at")
      .execute();
    // One transaction each: two replicas that expire the same rows cannot wait for each other in a circle.
    for (const { id } of due) {
      const change = await expireOne(session, { id, was, isDue: conditions[was](), event });
      if (change !== undefined) expired.push(change);
    }
  }
  return expired;
}

type Due = {
  readonly id: string;
  readonly was: "pending" | "approved";
  readonly isDue: Expression<SqlBool>;
  readonly event: (change: StoredChange) => NewHistoryEvent;
};

function expireOne(session: Session, { id, was, isDue, event }: Due): Promise<StoredChange | undefined> {
  const set = ended(session, { kind: "expired", was });
  const step = { from: [was], to: "expired" } as const; // a literal state
  return inTransaction(session, async (inside) => {
    const change = await move(inside, { id, step, set, only: [isDue], event: undefined });
    if (change !== undefined) await insertEvent(inside.db, inside, { ...event(change), changeId: id });
    return change;
  });
}

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
  const rows = await changeRows(db)
    .where(isOpen)
    .where(isDue(session))
    .where("owner", "=", replicaId)
    .orderBy("created_at")
    .execute();
  return wholeChanges(session, rows, (id, err) => {
    session.log.error({ err, change: id }, "a change cannot be read and is not carried on");
  });
}

/** The sweep of its replica looks at a workload that is followed at once. */
export async function lookNow({ db, clock }: Session, { id, teamId }: IdIn): Promise<void> {
  await db
    .updateTable("change")
    .set({ look_after: clock() })
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .where(sql<SqlBool>`look_after > ${clock()}`)
    .execute();
}

/** After a change to a workload: makes the next look of other requests about it due now. */
export async function lookAtEarlier({ db, clock }: Session, { id, teamId, workload }: StoredChange): Promise<void> {
  const { kind, region, name } = workload;
  const isOfIt = (table: string) =>
    sql<SqlBool>`${sql.ref(`${table}.workload_kind`)} = ${kind} and ${sql.ref(`${table}.workload_region`)} = ${region}
      and ${sql.ref(`${table}.workload_name`)} = ${name}`;
  await db
    .updateTable("change")
    .set({ look_after: clock() })
    .where(isOpen)
    .where("id", "!=", requestIdOf(id))
    .where("team_id", "=", teamId)
    .where(sql<SqlBool>`look_after > ${clock()}`)
    .where(
      sql<SqlBool>`(${isOfIt("change")} or exists (select 1 from change as part
        where part.part_of = change.id and ${isOfIt("part")}))`,
    )
    .execute();
}
