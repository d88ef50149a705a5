import { randomUUID } from "node:crypto";
import { type SqlBool, sql } from "kysely";
import { eventLine } from "../../audit/file-format.ts";
import { Big } from "../schema/columns.ts";
import type { Session } from "../database/session.ts";
import { readHead } from "./chain-rows.ts";
import { exportedEvent } from "./read-chain.ts";

export type AuditBatch = {
  /** Proves that this replica hands it over. */
  readonly token: string;
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  /** The same for the same events, also when it is tried again. */
  readonly id: string;
  /** Lines of an export. */
  readonly lines: readonly string[];
  /** How often it failed before. */
  readonly failures: number;
};

type Taking = { readonly atMost: number; readonly leaseMs: number };

/**
 * The next events for a receiver, if there are any, their time has come, and no other replica hands them over. A receiver
 * that is new gets what happens from now on.
 */
export async function takeAuditBatch(
  session: Session,
  name: string,
  { atMost, leaseMs }: Taking,
): Promise<AuditBatch | undefined> {
  const { db, clock, chain, textSealer } = session;
  if (chain === undefined || !(await hasWork(session, name))) return undefined;
  const token = randomUUID();
  const taken = await db
    .updateTable("audit_receiver")
    .set({
      token,
      leased_until: clock(leaseMs),
      batch_to: sql<number>`coalesce(batch_to, (select case when last_number < number + ${sql.lit(atMost)} then last_number
        else number + ${sql.lit(atMost)} end from audit_chain where id = 1))`,
    })
    .where("name", "=", name)
    .where(isDue(session))
    .returningAll()
    .executeTakeFirst();
  if (taken === undefined) return undefined;
  const [from, last] = [Big.parse(taken.number), Big.parse(taken.batch_to)];
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
    token,
    chain: chain.chain,
    first,
    last,
    id: `${chain.chain}.${first}-${last}.${events.at(-1)?.hash.slice(0, 12) ?? ""}`,
    lines: events.map((event) => eventLine(event, event.contents?.[0])),
    failures: taken.failures,
  };
}

function isDue({ clock }: Pick<Session, "clock">) {
  return sql<SqlBool>`(leased_until is null or leased_until < ${clock()}) and (next_at is null or next_at <= ${clock()})`;
}

async function hasWork(session: Session, name: string): Promise<boolean> {
  const { db } = session;
  const row = await db.selectFrom("audit_receiver").select("number").where("name", "=", name).executeTakeFirst();
  if (row === undefined) {
    const head = await readHead(session);
    await db
      .insertInto("audit_receiver")
      .values({ name, number: head?.last.number ?? 0, failures: 0 })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    return false;
  }
  const due = await db
    .selectFrom("audit_receiver")
    .innerJoin("audit_chain", (join) => join.onTrue())
    .select("number")
    .where("name", "=", name)
    .whereRef("number", "<", "last_number")
    .where(isDue(session))
    .executeTakeFirst();
  return due !== undefined;
}

const free = { token: null, leased_until: null } as const; // nulls

export async function auditDelivered(
  { db }: Session,
  name: string,
  { token, last }: Pick<AuditBatch, "token" | "last">,
): Promise<void> {
  await db
    .updateTable("audit_receiver")
    .set({ ...free, number: last, batch_to: null, next_at: null, failures: 0, failing_since: null })
    .where("name", "=", name)
    .where("token", "=", token)
    .execute();
}

/** It is tried again after `ms`, and never given up. */
export async function auditFailed(
  { db, clock }: Session,
  name: string,
  { token, ms }: { readonly token: string; readonly ms: number },
): Promise<void> {
  await db
    .updateTable("audit_receiver")
    .set({
      ...free,
      next_at: clock(ms),
      failures: sql`failures + 1`,
      failing_since: sql`coalesce(failing_since, ${clock()})`,
    })
    .where("name", "=", name)
    .where("token", "=", token)
    .execute();
}
