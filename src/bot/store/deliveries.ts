import { sql, type SqlBool } from "kysely";
import type { NewDelivery } from "../workflow/stored.ts";
import type { Due } from "../workflow/due-kinds.ts";
import { builtOnce, inTransaction, removeRows, type Session, timeAt } from "./database/session.ts";
import { deleteDue, dueBind, endDue } from "./due.ts";
import { plainText } from "./schema/columns.ts";

// An interaction is the payload of due work. When it is done, only the id of its delivery is kept for a while, to recognise a duplicate.

/**
 * One statement, because a person waits for it. Undefined: a duplicate. One that comes while the first is being finished may be
 * processed again; a write then finds the request that it stored.
 */
export async function accept(session: Session, { id, teamId, payload, token }: NewDelivery): Promise<Due | undefined> {
  const { clock, leaseMs, textSealer } = session;
  const work = { kind: "delivery", key: id, teamId, token, leaseMs } as const; // a literal kind
  const sealed = textSealer.seal(plainText(payload), dueBind(work));
  const times = { now: clock.shift(), at: clock.shift(leaseMs) };
  const [row] = await acceptedRows(session, { key: id, team_id: teamId, token, payload: sealed, ...times });
  if (row === undefined) return undefined;
  const createdAt = new Date(row.created_at);
  return { ...work, attempts: 1, payload, createdAt, takenAt: createdAt };
}

type Accepted = {
  readonly key: string;
  readonly team_id: string;
  readonly token: string;
  readonly payload: string;
  readonly now: string;
  readonly at: string;
};

const acceptedRows = builtOnce(({ db, flavour }, { now, at, ...row }: Accepted) =>
  db
    .insertInto("due")
    .columns(["kind", "key", "team_id", "token", "payload", "at", "attempts", "created_at"])
    .expression(
      db
        .selectNoFrom([
          sql<"delivery">`'delivery'`.as("kind"),
          sql<string>`${row.key}`.as("key"),
          sql<string>`${row.team_id}`.as("team_id"),
          sql<string>`${row.token}`.as("token"),
          sql<string>`${row.payload}`.as("payload"),
          timeAt(flavour, at).as("at"),
          sql<number>`1`.as("attempts"),
          timeAt(flavour, now).as("created_at"),
        ])
        .where(sql<SqlBool>`not exists (select 1 from delivery where id = ${row.key})`),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("created_at"),
);

/** Stores only the id, so nobody begins it. False: it was known already. */
export async function remember(session: Session, id: string): Promise<boolean> {
  const isStored = sql<SqlBool>`exists (select 1 from due where kind = 'delivery' and key = ${id})`;
  const { rows } = await sql`insert into delivery (id, received_at) select ${id}, ${session.clock()}
    where not ${isStored} on conflict do nothing returning id`.execute(session.db);
  return rows.length > 0;
}

/** Whether it was accepted or remembered before. */
export async function isKnown({ db }: Session, id: string): Promise<boolean> {
  const { rows } = await sql`select id from delivery where id = ${id}
    union all select key from due where kind = 'delivery' and key = ${id}`.execute(db);
  return rows.length > 0;
}

/** It is done: only its id stays. False: the lease was lost. */
export function finishDelivery(session: Session, due: Due): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    if ((await endDue(inside, due)) === undefined) return false;
    await know(inside, due.key);
    return true;
  });
}

/** The same in the transaction of the request that it became. */
export async function finish(session: Pick<Session, "db" | "clock">, id: string): Promise<void> {
  await deleteDue(session, { kinds: ["delivery"], key: id });
  await know(session, id);
}

/** Removes a delivery if it is stored with this lease, so that it never begins. One that another replica stored or took stays. */
export function drop(session: Session, { id, token }: Pick<NewDelivery, "id" | "token">): Promise<void> {
  return inTransaction(session, async (inside) => {
    await removeRows(inside.db, "due", { kind: "delivery", key: id, token });
    await know(inside, id);
  });
}

async function know({ db, clock }: Pick<Session, "db" | "clock">, id: string): Promise<void> {
  await db
    .insertInto("delivery")
    .values({ id, received_at: clock() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
