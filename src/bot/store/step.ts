import { type Expression, type RawBuilder, type Selectable, sql, type SqlBool, type UpdateObject } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import {
  Ending,
  Health,
  isPartId,
  requestIdOf,
  type ChangeState,
  type StoredChange,
} from "../changes/stored-change.ts";
import type { Due } from "../workflow/due-kinds.ts";
import type { Next, Step } from "../workflow/lifecycle.ts";
import { rowOf, type Session, updateRows } from "./database/session.ts";
import { openJson, sealJson, type TextSealer } from "./database/text-sealer.ts";
import { storedChange } from "./change-row.ts";
import { insertEvent } from "./events.ts";
import { type ChangeRow, wholeChange } from "./whole-change.ts";
import { fromJson, toJson } from "./schema/columns.ts";
import { addCard, cardColumn, scheduleCards } from "./posts.ts";
import type { ChangeTable, Tables } from "./schema/tables.ts";
import { delayDue, endDue, isLeased, scheduleDue } from "./due.ts";

export type Move = {
  readonly id: string;
  /** With it, nothing of another workspace is moved. */
  readonly teamId?: string | undefined;
  readonly step: Pick<Step, "from" | "to">;
  readonly set?: UpdateObject<Tables, "change">;
  /** Further conditions, in SQL. */
  readonly only?: readonly Expression<SqlBool>[];
  readonly event: NewHistoryEvent | undefined;
  /** Nothing that a card shows has changed, so it isn't drawn again. */
  readonly isQuiet?: boolean;
  /** The caller draws the card. */
  readonly draws?: boolean;
  /** Only with this lease. */
  readonly due?: Due | undefined;
  /** The lease after the step. */
  readonly next?: Next | undefined;
};

/**
 * One step of a Change: one conditional UPDATE and its row of history. Undefined: it was in another state, and nothing
 * happened. The UPDATE comes first, because it locks the row: the events of a Change keep their order. With an event, or
 * with parts, `session.db` has to be a transaction. Events of a part go to the history of its request.
 */
export async function move(session: Session, what: Move): Promise<StoredChange | undefined> {
  const row = await moveRow(session, what);
  return row && wholeChange(session, row);
}

/** The same, without reading the votes and parts of the Change. */
export async function moveRow(
  session: Session,
  { id, teamId, step, set, only = [], event, isQuiet = false, draws = false, due, next }: Move,
): Promise<ChangeRow | undefined> {
  // Whoever sends it must have the time for that.
  const forMs = step.to === "claimed" ? session.sendWithinMs : undefined;
  const ours = due === undefined ? [] : [leaseOf(session, id, due, forMs)];
  const request = isPartId(id) ? await holdRequest(session, { id, teamId, ours, isQuiet }) : undefined;
  if (isPartId(id) && request === undefined) return undefined;
  const row = await session.db
    .updateTable("change")
    .set({
      ...set,
      state: step.to,
      ...(!isQuiet && { version: sql`version + 1` }),
    })
    .where((where) =>
      where.and([where("id", "=", id), where("state", "in", step.from), inWorkspace(teamId), ...only, ...ours]),
    )
    .returningAll()
    .returning(cardColumn)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (event !== undefined) await insertEvent(session, { ...event, changeId: requestIdOf(id) });
  if (!isQuiet && !draws) await scheduleCard(session, row);
  if (row.undo_of !== null && cameToNothing.has(row.state)) {
    await offerUndoAgain(session, row.undo_of);
    await tellLostWayBack(session, row, row.undo_of);
  }
  if (row.undo_of !== null && !isQuiet) await redrawUndone(session, row.undo_of);
  if (event !== undefined && isDeletion(row)) await markDeleted(session, row);
  if (row.part_count > 0 && row.settled_at !== null) await endParts(session, id);
  // Which part comes next, or that none does, is up to the request.
  if (request?.state === "claimed" && row.settled_at !== null)
    await scheduleDue(session, { kind: "change", key: requestIdOf(id), teamId: row.team_id });
  if (due !== undefined) await endLease(session, due, next);
  return row;
}

/** The condition that the lease of this Change is still held; the turn of a part comes with the lease of its request. */
function leaseOf(session: Session, id: string, due: Due, forMs: number | undefined): RawBuilder<SqlBool> {
  if (due.kind !== "change" || (due.key !== id && due.key !== requestIdOf(id)))
    throw new Error(`${due.kind} ${due.key} is no lease of ${id}`);
  return isLeased(session, due, forMs);
}

async function endLease(session: Session, due: Due, next: Next = "kept"): Promise<void> {
  if (next === "over") await endDue(session, due);
  else if (next !== "kept") await delayDue(session, due, next);
}

/** A request without approvals gets no card before it has run, unless it takes long. */
async function scheduleCard(session: Session, row: ChangeRow): Promise<void> {
  if (row.part_of !== null) return;
  if (row.card === null && row.state === "claimed") return;
  await addCard(session, row);
}

/** The columns of a Change that ends without being sent. */
export function ended({ clock, textSealer }: Session, ending: Ending, id: string) {
  return { ending: sealJson(textSealer, toJson(Ending, ending), id), settled_at: clock() };
}

/** A condition on a row of `change`; always true without a `teamId`. */
export function inWorkspace(teamId: string | undefined): RawBuilder<SqlBool> {
  return teamId === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`team_id = ${teamId}`;
}

const cameToNothing = new Set<ChangeState>(["rejected", "cancelled", "expired", "drifted", "failed"]);

/** An Undo that came to nothing took nothing back. */
async function offerUndoAgain(session: Session, id: string): Promise<void> {
  const set = { is_undone: 0, version: sql`version + 1` };
  await updateRows(session.db, "change", { having: { id, is_undone: 1 }, set });
  await scheduleCards(session, [id]);
}

/** The thread of a deploy says why its automatic way back wasn't run. */
async function tellLostWayBack(session: Session, row: ChangeRow, undoOf: string): Promise<void> {
  const { wayBackEnd, ...back } = storedChange(session.textSealer, row, []);
  if (wayBackEnd === undefined) return;
  const { teamId, channelId, workload, account, rule, breakGlass } = back;
  const deployed = await rowOf(session.db, "change", { id: undoOf });
  await insertEvent(session, {
    kind: wayBackEnd.isNeeded ? "health" : "recovered",
    teamId,
    changeId: requestIdOf(undoOf),
    who: undefined,
    channelId,
    verb: deployed?.verb,
    workload,
    account: account.username,
    rule,
    breakGlass,
    result: wayBackEnd.why,
    elapsedMs: undefined,
    reference: undefined,
  });
}

/** Redraws a card that shows the progress of its undo: with parts, or with a version in trouble. */
export async function redrawUndone(session: Pick<Session, "db" | "clock" | "scheduled">, id: string): Promise<void> {
  const showsUndo = isPartId(id)
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`coalesce(health, progress) like '%"kind":"trouble"%'`;
  const row = await session.db
    .updateTable("change")
    .set({ version: sql`version + 1` })
    .where("id", "=", requestIdOf(id))
    .where(showsUndo)
    .returning("id")
    .executeTakeFirst();
  if (row !== undefined) await scheduleCards(session, [row.id]);
}

/**
 * Before a step of a part, in its transaction: its request, whose card is drawn again. Locks the request first, as every step does, so no
 * two steps wait for each other.
 */
async function holdRequest(
  session: Session,
  { id, teamId, ours, isQuiet }: Held,
): Promise<{ readonly state: string } | undefined> {
  const row = await session.db
    .updateTable("change")
    .set({ version: isQuiet ? sql`version` : sql`version + 1` })
    .where((where) => where.and([where("id", "=", requestIdOf(id)), inWorkspace(teamId), ...ours]))
    .returning(["id", "state"])
    .executeTakeFirst();
  if (row !== undefined && !isQuiet) await scheduleCards(session, [row.id]);
  return row;
}

/** Cancels the parts that were not sent when their request ends. */
async function endParts({ db, clock }: Pick<Session, "db" | "clock">, requestId: string): Promise<void> {
  const set = { state: "cancelled", version: sql`version + 1`, settled_at: clock() } as const; // a literal state
  await updateRows(db, "change", { having: { part_of: requestId, state: "approved" }, set });
}

type Held = Pick<Move, "id" | "teamId"> & { readonly isQuiet: boolean; readonly ours: readonly Expression<SqlBool>[] };

type Row = Selectable<ChangeTable>;

/** Cards that people may still read. */
const NEWEST = 20;

/** Whether this deletion took effect: one that was only accepted may still fail. */
function isDeletion({ op, state, ending }: ChangeRow): boolean {
  return op.startsWith("delete") && state === "done" && ending?.includes('"kind":"done"') === true;
}

/**
 * After a deletion, removes the buttons that need the workload from the cards of earlier requests. A request for
 * several keeps those for its other workloads. Changes that are still followed notice the deletion themselves. Call it
 * in the transaction of the deletion.
 */
async function markDeleted(session: Session, deletion: ChangeRow): Promise<void> {
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

async function markRow(session: Session, row: Row): Promise<void> {
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
