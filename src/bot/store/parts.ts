import { sql, type SqlBool } from "kysely";
import { isPartId, partId, requestIdOf } from "../changes/parts.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { NewChange } from "../workflow/ports.ts";
import { newChangeRow } from "./change-row.ts";
import { isAliveFor } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { insertEvent } from "./events.ts";
import type { Move } from "./step.ts";

/**
 * Adds the parts of a new request, in its transaction. Nobody owns or draws a part: whoever carries on the request
 * carries on its parts. Each has a row of history, so that the history of each workload tells who asked.
 */
export async function insertParts(
  session: Session,
  { id, deliveryId, reason, parts = [] }: NewChange,
  event: NewHistoryEvent,
): Promise<void> {
  for (const [at, part] of parts.entries()) {
    const ids = { id: partId(id, at + 1), deliveryId: partId(deliveryId, at + 1) };
    const row = newChangeRow(session, { ...part, ...ids });
    const own = { created_at: session.clock(), part_of: id, nowhere: 1, stale: 0 };
    await session.db
      .insertInto("change")
      .values({ ...row, ...own })
      .execute();
    const result = [...part.diff, ...(reason === undefined ? [] : [`reason: ${reason}`])].join("; ");
    await insertEvent(session.db, session, { ...event, changeId: id, workload: part.workload, result });
  }
}

type Held = Pick<Move, "id" | "teamId" | "isQuiet" | "nextLook"> & { readonly sendWithinMs: number | undefined };

/**
 * Before a step of a part, in its transaction: only the replica that carries on the request may make it, and the card of
 * the request has to be drawn again. Locks the request first, as every step does, so no two steps wait for each other.
 */
export async function holdRequest(session: Session, held: Held): Promise<boolean> {
  const { id, teamId, sendWithinMs, isQuiet = false, nextLook } = held;
  if (!isPartId(id)) return true;
  const { clock, replicaId } = session;
  const lookInMs = nextLook?.lookInMs;
  const isThere = nextLook === undefined ? sql<SqlBool>`state = 'claimed'` : sql<SqlBool>`settled_at is not null`;
  const alive = sendWithinMs === undefined ? [] : [isAliveFor(session, sendWithinMs)];
  const row = await session.db
    .updateTable("change")
    .set({
      owner: replicaId,
      ...(!isQuiet && { version: sql`version + 1`, stale: 1 }),
      ...(nextLook !== undefined && { look_after: lookInMs === undefined ? null : clock(lookInMs) }),
    })
    .where((where) =>
      where.and([
        where("id", "=", requestIdOf(id)),
        where("owner", "=", replicaId),
        isThere,
        ...(teamId === undefined ? [] : [where("team_id", "=", teamId)]),
        ...alive,
      ]),
    )
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** When a request is over, what was not sent never is. */
export async function endParts({ db, clock }: Pick<Session, "db" | "clock">, requestId: string): Promise<void> {
  await db
    .updateTable("change")
    .set({ state: "cancelled", version: sql`version + 1`, settled_at: clock() })
    .where("part_of", "=", requestId)
    .where("state", "=", "approved")
    .execute();
}
