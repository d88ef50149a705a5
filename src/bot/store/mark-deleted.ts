import { type Selectable, sql } from "kysely";
import { Health, requestIdOf } from "../changes/stored-change.ts";
import { type Session, updateRows } from "./database/session.ts";
import { openJson, sealJson, type TextSealer } from "./database/text-sealer.ts";
import { scheduleCards } from "./posts.ts";
import { fromJson, toJson } from "./schema/columns.ts";
import type { ChangeTable } from "./schema/tables.ts";

type Row = Selectable<ChangeTable>;
type Scheduling = Pick<Session, "db" | "clock" | "textSealer" | "scheduled">;

/** Cards that people may still read. */
const NEWEST = 20;

/** Whether this deletion took effect: one that was only accepted may still fail. */
export function isDeletion({ op, state, ending }: Row): boolean {
  return op.startsWith("delete") && state === "done" && ending?.includes('"kind":"done"') === true;
}

/**
 * After a deletion, removes the buttons that need the workload from the cards of earlier requests. A request for
 * several keeps those for its other workloads. Changes that are still followed notice the deletion themselves. Call it
 * in the transaction of the deletion.
 */
export async function markDeleted(session: Scheduling, deletion: Row): Promise<void> {
  const { db } = session;
  // A request for several workloads has such a row for each of them.
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
  for (const row of earlier) await markRow(session, row);
}

async function markRow(session: Scheduling, row: Row): Promise<void> {
  const { db, textSealer } = session;
  const marked = markedBy(textSealer, row);
  if (marked === undefined) return;
  const isPart = row.part_of !== null;
  const drawn = { version: sql<number>`version + 1` };
  const health = sealJson(textSealer, toJson(Health, marked.health), row.id);
  // A request is locked before its parts, as in every step.
  if (isPart) await updateRows(db, "change", { having: { id: requestIdOf(row.id) }, set: drawn });
  await db
    .updateTable("change")
    .set({ [marked.column]: health, ...(!isPart && drawn) })
    .where("id", "=", row.id)
    .where(marked.column, "is not distinct from", row[marked.column])
    .execute();
  await scheduleCards(session, [requestIdOf(row.id)]);
}

type Marked = { readonly column: "health" | "progress"; readonly health: Health };

/** The new health of a row; undefined for one without such buttons, or still in progress. */
function markedBy(sealer: TextSealer, row: Row): Marked | undefined {
  const { op, state, settled_at: settledAt } = row;
  if (state === "done") return op.startsWith("delete") ? undefined : markedAsSeen(sealer, row);
  // Its card offers to request it again. For a creation that still works: the name is free.
  const isOver = settledAt !== null || row.part_of !== null;
  const waits = state === "pending" || state === "approved" || state === "claimed";
  if (!isOver || waits || op.startsWith("create") || row.health !== null) return undefined;
  return { column: "health", health: { kind: "unwatched", line: "", excerpt: [], gone: "deleted" } };
}

/** Undefined for a Change whose next poll will notice the deletion. */
function markedAsSeen(sealer: TextSealer, { id, health, progress }: Row): Marked | undefined {
  const column = health === null ? "progress" : "health";
  const stored = health ?? progress;
  const seen = fromJson(Health).safeParse(stored && openJson(sealer, stored, id)).data;
  if (seen === undefined || seen.gone !== undefined || seen.kind === "watching") return undefined;
  if (column === "progress" && seen.kind === "not-yet") return undefined;
  return { column, health: { ...seen, gone: "deleted" } };
}
