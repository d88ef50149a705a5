import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import { step } from "./changes.ts";
import { findBy, withVotes } from "./find-change.ts";
import { plainText } from "./schema/columns.ts";
import { keepLease } from "./database/replicas.ts";
import type { Db, Session } from "./database/session.ts";
import type { VoteResult } from "./store.ts";

type Ballot = {
  readonly id: string;
  readonly who: Who;
  readonly events: { readonly voted: NewHistoryEvent; readonly approved: NewHistoryEvent };
};

/** Counts a vote, in SQL, under the row's lock: of many at once exactly one is the last that is needed. */
export async function vote(session: Session, ballot: Ballot): Promise<VoteResult> {
  await keepLease(session);
  return session.db.transaction().execute(async (tx) => {
    // Changes nothing, and makes everybody else who votes wait until this vote stands.
    const row = await tx
      .updateTable("change")
      .set({ version: sql`version` })
      .where("id", "=", ballot.id)
      .where(sql<SqlBool>`state = 'pending'`)
      .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", session.clock())]))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) {
      const change = await findBy(tx, "id", ballot.id);
      return change === undefined ? { kind: "missing" } : { kind: "late", change };
    }
    const before = await withVotes(tx, row);
    const isNew = await insertVote(tx, session, { ballot, number: before.votes.length + 1 });
    if (!isNew) return { kind: "twice", change: before };
    return { kind: "counted", change: await counted(tx, session, { ballot, before }) };
  });
}

async function insertVote(
  tx: Db,
  { clock }: Session,
  { ballot, number }: { readonly ballot: Ballot; readonly number: number },
): Promise<boolean> {
  const row = await tx
    .insertInto("vote")
    .values({
      change_id: ballot.id,
      user_id: ballot.who.userId,
      user_name: plainText(ballot.who.name),
      number,
      voted_at: clock(),
    })
    .onConflict((conflict) => conflict.columns(["change_id", "user_id"]).doNothing())
    .returning("change_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** One vote more than `before`: with the last one that its terms want, it is approved and ours. */
async function counted(
  tx: Db,
  session: Session,
  { ballot, before }: { readonly ballot: Ballot; readonly before: StoredChange },
): Promise<StoredChange> {
  const { id, events } = ballot;
  const needed = before.terms?.votes;
  if (needed === undefined) throw new Error(`Change ${id} waits for votes without terms that say how many`);
  let change = await step(tx, session, { id, from: ["pending"], set: {}, event: events.voted });
  if (before.votes.length + 1 >= needed) {
    const set = { state: "approved", approved_at: session.clock(), owner: session.replicaId } as const; // a literal state
    change = await step(tx, session, { id, from: ["pending"], set, event: events.approved });
  }
  if (change === undefined) throw new Error(`Change ${id} moved under its own lock`);
  return change;
}
