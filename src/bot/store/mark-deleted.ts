import { type Selectable, sql } from "kysely";
import { type Health, requestIdOf } from "../changes/stored-change.ts";
import type { Session } from "./database/session.ts";
import { fromJson, HealthJson, toJson } from "./schema/columns.ts";
import type { ChangeTable } from "./schema/tables.ts";

type Row = Selectable<ChangeTable>;

/** Cards that people may still look at. */
const NEWEST = 20;

/** Whether this workload is gone by now: a deletion that was only accepted may still fail. */
export function isDeletion({ op, state, ending }: Row): boolean {
  return op.startsWith("delete") && state === "done" && ending?.includes('"kind":"done"') === true;
}

/**
 * Once a workload is deleted, the cards of earlier requests offer nothing that needs it: those of one workload, and those of
 * several, which may still offer something for the others. Those that are still followed see it themselves. Call it in the
 * transaction of the deletion.
 */
export async function markDeleted({ db }: Pick<Session, "db">, deletion: Row): Promise<void> {
  // Each workload of a request has such a row.
  const rows = await db
    .selectFrom("event")
    .select("change_id")
    .where("team_id", "=", deletion.team_id)
    .where("workload_name", "=", deletion.workload_name)
    .where("kind", "=", "requested")
    .orderBy("seq", "desc")
    .limit(NEWEST)
    .execute();
  const ids = [...new Set(rows.flatMap(({ change_id: id }) => id ?? []))];
  if (ids.length === 0) return;
  const earlier = await db
    .selectFrom("change")
    .selectAll()
    .where((where) => where.or([where("id", "in", ids), where("part_of", "in", ids)]))
    .where("id", "!=", deletion.id)
    .where("part_count", "=", 0)
    .where("workload_kind", "=", deletion.workload_kind)
    .where("workload_region", "=", deletion.workload_region)
    .where("workload_name", "=", deletion.workload_name)
    .where("account_username", "=", deletion.account_username)
    // Rows are locked in the same order everywhere.
    .orderBy("id")
    .execute();
  for (const row of earlier) await markRow(db, row);
}

async function markRow(db: Session["db"], row: Row): Promise<void> {
  const marked = markedBy(row);
  if (marked === undefined) return;
  const isPart = row.part_of !== null;
  const drawn = { version: sql<number>`version + 1`, stale: 1 };
  const health = toJson(HealthJson, marked.health);
  // A request is locked before its parts, as in every step.
  if (isPart) await db.updateTable("change").set(drawn).where("id", "=", requestIdOf(row.id)).execute();
  await db
    .updateTable("change")
    .set({ [marked.column]: health, ...(!isPart && drawn) })
    .where("id", "=", row.id)
    .where(marked.column, "is not distinct from", row[marked.column])
    .execute();
}

type Marked = { readonly column: "health" | "progress"; readonly health: Health };

/** What the row says from now on; undefined for one that offers nothing, or that goes on. */
function markedBy(row: Row): Marked | undefined {
  const { op, state, settled_at: settledAt } = row;
  if (state === "done") return op.startsWith("delete") ? undefined : markedAsSeen(row);
  // What comes to nothing may be requested again, and a creation can be, with the name free.
  const isOver = settledAt !== null || row.part_of !== null;
  const waits = state === "pending" || state === "approved" || state === "claimed";
  if (!isOver || waits || op.startsWith("create") || row.health !== null) return undefined;
  return { column: "health", health: { kind: "unwatched", line: "", excerpt: [], gone: "deleted" } };
}

/** One that is still followed and wasn't well at the last look sees it at the next one. */
function markedAsSeen({ health, progress }: Row): Marked | undefined {
  const column = health === null ? "progress" : "health";
  const seen = fromJson(HealthJson).safeParse(health ?? progress).data;
  if (seen === undefined || seen.gone !== undefined || seen.kind === "watching") return undefined;
  if (column === "progress" && seen.kind === "not-yet") return undefined;
  return { column, health: { ...seen, gone: "deleted" } };
}
