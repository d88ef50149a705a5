import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { IdIn, Passed, Passing } from "../workflow/stored.ts";
import { drawAlerts, isOpen } from "./alerts.ts";
import { inTransaction, rowOf, type Session } from "./database/session.ts";
import { insertEvent } from "./events.ts";
import { plainText } from "./schema/columns.ts";

/** Somebody takes an incident, hands it over or leaves it. Of two clicks, the later one counts, whichever is processed first. */
export function passAlert(
  session: Session,
  { id, teamId }: IdIn,
  { by, to, at }: Passing,
  event: NewHistoryEvent,
): Promise<Passed> {
  const isTaking = to?.userId === by.userId;
  const clickedAt = at.toISOString();
  const isLasting = isOpen("alert.id");
  return inTransaction(session, async (inside) => {
    const isTheirs = isTaking
      ? sql<SqlBool>`(taken_by is null or taken_by <> ${by.userId})`
      : sql<SqlBool>`taken_by = ${by.userId}`;
    const row = await inside.db
      .updateTable("alert")
      .set({
        taken_by: to?.userId ?? null,
        taken_name: to === undefined ? null : plainText(to.name),
        taken_at: clickedAt,
        taken_from: to === undefined ? null : sql<string | null>`taken_by`,
        taken_from_name: to === undefined ? null : sql<string | null>`taken_name`,
        is_handed: to === undefined || isTaking ? 0 : 1,
        passed_at: clickedAt,
      })
      .where("id", "=", id)
      .where("team_id", "=", teamId)
      .where(sql<SqlBool>`(taken_at is null or taken_at <= ${clickedAt})`)
      .where(isLasting)
      .where(isTheirs)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) {
      const now = await rowOf(inside.db, "alert", { id, team_id: teamId });
      if (now === undefined) return "gone";
      if (now.taken_at !== null && now.taken_at >= clickedAt) return "late";
      const open = await inside.db.selectFrom("alert").select("id").where("id", "=", id).where(isLasting).execute();
      if (open.length === 0) return "over";
      return isTaking ? "same" : "not-theirs";
    }
    // Whoever clicked waits for the card.
    await drawAlerts(inside, [id]);
    await insertEvent(inside, event);
    return "passed";
  });
}
