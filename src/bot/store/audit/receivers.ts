import { type SqlBool, sql } from "kysely";
import { eventLine } from "../../audit/file-format.ts";
import type { Due } from "../../workflow/due-kinds.ts";
import { holdDue, scheduleDue } from "../due.ts";
import { Big } from "../schema/columns.ts";
import { inTransaction, type Session, updateRows } from "../database/session.ts";
import { readHead } from "./chain-rows.ts";
import { exportedEvent } from "./read-chain.ts";

export type AuditBatch = {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  /** The same for the same events, also when it is tried again. */
  readonly id: string;
  /** Lines of an export. */
  readonly lines: readonly string[];
};

/** Makes receivers known, and begins with what waits for them. A receiver that is new gets what happens from now on. */
export async function addReceivers(session: Session, names: readonly string[]): Promise<void> {
  if (session.chain === undefined) return;
  const head = await readHead(session);
  for (const name of names) {
    await session.db
      .insertInto("audit_receiver")
      .values({ name, number: head?.last.number ?? 0 })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    await scheduleDue(session, { kind: "audit", key: name, teamId: "" });
  }
}

/** New events have joined the chain: all receivers get them. */
export async function scheduleReceivers(session: Session): Promise<void> {
  const rows = await session.db.selectFrom("audit_receiver").select("name").execute();
  for (const { name } of rows) await scheduleDue(session, { kind: "audit", key: name, teamId: "" });
}

/** The next events for a receiver; undefined when it has all. A batch that was begun is repeated as it was. */
export async function auditBatch(session: Session, name: string, atMost: number): Promise<AuditBatch | undefined> {
  const { db, chain, textSealer } = session;
  if (chain === undefined) return undefined;
  const begun = await db
    .updateTable("audit_receiver")
    .set({
      batch_to: sql<number>`coalesce(batch_to, (select case when last_number < number + ${sql.lit(atMost)} then last_number
        else number + ${sql.lit(atMost)} end from audit_chain where id = 1))`,
    })
    .where("name", "=", name)
    .where(sql<SqlBool>`number < (select last_number from audit_chain where id = 1)`)
    .returning(["number", "batch_to"])
    .executeTakeFirst();
  if (begun === undefined) return undefined;
  const [from, last] = [Big.parse(begun.number), Big.parse(begun.batch_to)];
  const rows = await db
    .selectFrom("event")
    .selectAll()
    .where("chain_number", ">", from)
    .where("chain_number", "<=", last)
    .orderBy("chain_number")
    .execute();
  const events = rows.map((row) => exportedEvent(textSealer, row));
  const gone = last - from - events.length;
  if (gone > 0) session.log.error({ receiver: name, events: gone }, "history is gone that its receiver never got");
  const first = events[0]?.number ?? last;
  return {
    chain: chain.chain,
    first,
    last,
    id: `${chain.chain}.${first}-${last}.${events.at(-1)?.hash.slice(0, 12) ?? ""}`,
    lines: events.map((event) => eventLine(event, event.contents?.[0])),
  };
}

/** The receiver has everything up to `last`. False: the lease was lost, and the batch is sent again. */
export function auditDelivered(session: Session, due: Due, last: number): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    if (!(await holdDue(inside, due))) return false;
    const set = { number: last, batch_to: null, failing_since: null };
    await updateRows(inside.db, "audit_receiver", { having: { name: due.key }, set });
    return true;
  });
}

/** For the health checks. */
export async function auditFailed({ db, clock }: Session, name: string): Promise<void> {
  const set = { failing_since: sql`coalesce(failing_since, ${clock()})` };
  await updateRows(db, "audit_receiver", { having: { name }, set });
}
