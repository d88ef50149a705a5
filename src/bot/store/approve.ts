import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Step } from "../workflow/lifecycle.ts";
import type { Advanced } from "../workflow/ports.ts";
import { keepLease } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { findChange, wholeChange } from "./find-change.ts";
import { plainText } from "./schema/columns.ts";
import { inWorkspace, move, within } from "./step.ts";

type Approval = {
  readonly id: string;
  readonly teamId?: string | undefined;
  readonly event: NewHistoryEvent | undefined;
};
type Approve = Extract<Step, { readonly name: "approve" }>;

/** Counts an approval, in SQL, under the row's lock: of many at once exactly one is the last that is needed. */
export async function approve(session: Session, step: Approve, what: Approval): Promise<Advanced> {
  await keepLease(session);
  return within(session, (inside) => approveInside(inside, step, what));
}

async function approveInside(session: Session, step: Approve, { id, teamId, event }: Approval): Promise<Advanced> {
  const { db, clock } = session;
  // Changes nothing, and makes everybody else who approves wait until this approval is counted.
  const row = await db
    .updateTable("change")
    .set({ version: sql`version` })
    .where("id", "=", id)
    .where(inWorkspace(teamId))
    .where(sql<SqlBool>`state = 'pending'`)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return { kind: "late", change: await findChange(session, { id }, teamId) };
  const before = await wholeChange(session, row);
  if (!(await insertVote(session, step, before))) return { kind: "twice", change: before };
  const change = await move(session, { id, step, event });
  if (before.votes.length + 1 < neededBy(before)) return moved(change);
  const set = { approved_at: clock(), owner: session.replicaId };
  const last = { from: step.from, to: "approved" } as const; // a literal state
  return moved(await move(session, { id, step: last, set, event: step.last }));
}

function moved(change: StoredChange | undefined): Advanced {
  if (change === undefined) throw new Error("a Change moved while its row was locked");
  return { kind: "moved", change };
}

function neededBy({ id, terms }: StoredChange): number {
  if (terms === undefined) throw new Error(`Change ${id} waits for approvals without terms that say how many`);
  return terms.votes;
}

/** False: this person had approved already. */
async function insertVote({ db, clock }: Session, { by }: Approve, { id, votes }: StoredChange): Promise<boolean> {
  const row = await db
    .insertInto("vote")
    .values({
      change_id: id,
      user_id: by.userId,
      user_name: plainText(by.name),
      number: votes.length + 1,
      voted_at: clock(),
    })
    .onConflict((conflict) => conflict.columns(["change_id", "user_id"]).doNothing())
    .returning("change_id")
    .executeTakeFirst();
  return row !== undefined;
}
