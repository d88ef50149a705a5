import { sql } from "kysely";
import { z } from "zod";
import { parseRow } from "./schema/columns.ts";
import type { CallsOf } from "./store.ts";
import type { Session } from "./database/session.ts";

const CallRow = z.object({ calls: z.number().int() });

/** Adds this replica's calls to those of all replicas. */
export async function countCalls(
  { db }: Session,
  { teamId: team_id, username, day }: CallsOf,
  calls: number,
): Promise<void> {
  await db
    .insertInto("call_count")
    .values({ team_id, username, day, calls })
    .onConflict((conflict) =>
      conflict
        .columns(["team_id", "username", "day"])
        .doUpdateSet({ calls: sql<number>`call_count.calls + excluded.calls` }),
    )
    .execute();
}

export async function callsOn({ db }: Session, { teamId, username, day }: CallsOf): Promise<number> {
  const row = await db
    .selectFrom("call_count")
    .select("calls")
    .where("team_id", "=", teamId)
    .where("username", "=", username)
    .where("day", "=", day)
    .executeTakeFirst();
  return row === undefined ? 0 : parseRow(CallRow, row, `The calls of ${username}`).calls;
}
