import { type Selectable, sql, type SqlBool } from "kysely";
import { type StoredChange, type Vote, type WayBack, requestIdOf, wayBackDelivery } from "../changes/stored-change.ts";
import { storedChange } from "./change-row.ts";
import { type Db, inBatches, type Session } from "./database/session.ts";
import { cardColumn } from "./posts.ts";
import { parseRow } from "./schema/columns.ts";
import { type ChangeTable, VoteRow } from "./schema/tables.ts";

// Reads a Change with all that belongs to it: its votes, its parts, and how far its way back has come.

/** With `cardColumn` in `posts.ts`. */
export type ChangeRow = Selectable<ChangeTable> & { readonly card: string | null };

/** The database, or a transaction in it, with what reading a Change takes. */
export type Reader = Pick<Session, "db" | "clock" | "textSealer">;

/** Matches the condition of a partial index word for word, or the index is not used. */
export const undoCounts = sql<SqlBool>`state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')`;

export function changeRows(db: Db) {
  return db.selectFrom("change").selectAll("change").select(cardColumn);
}

/** The Change with its votes and parts. Only requests that need approval have votes. */
export async function wholeChange(reader: Reader, row: ChangeRow): Promise<StoredChange> {
  const votes = row.terms === null ? undefined : (await votesOf(reader.db, [row.id])).get(row.id);
  const parts = (await partRowsOf(reader, [row])).get(row.id);
  return withParts(reader, { row, votes, parts, backs: await waysBackOf(reader, [row, ...(parts ?? [])]) });
}

type Broken = { readonly words: string; readonly level?: "warn" | "error" };

/** Changes with their votes and parts. One that can't be read is logged and left out. */
export async function wholeChanges(
  reader: Reader & Pick<Session, "log">,
  rows: readonly ChangeRow[],
  { words, level = "warn" }: Broken,
): Promise<readonly StoredChange[]> {
  const ids = rows.map(({ id }) => id);
  const votes = await votesOf(reader.db, ids);
  const parts = await partRowsOf(reader, rows);
  const backs = await waysBackOf(reader, [...rows, ...[...parts.values()].flat()]);
  return rows.flatMap((row) => {
    try {
      return [withParts(reader, { row, votes: votes.get(row.id), parts: parts.get(row.id), backs })];
    } catch (err) {
      reader.log[level]({ err, change: row.id }, words);
      return [];
    }
  });
}

type Backs = Pick<StoredChange, "wayBack" | "wayBackEnd">;

type Whole = {
  readonly row: ChangeRow;
  readonly votes: readonly Vote[] | undefined;
  readonly parts: readonly ChangeRow[] | undefined;
  readonly backs: ReadonlyMap<string, Backs>;
};

function withParts({ textSealer }: Reader, { row, votes = [], parts, backs }: Whole): StoredChange {
  const withBack = (each: ChangeRow, its: readonly Vote[]): StoredChange => {
    return { ...storedChange(textSealer, each, its), ...backs.get(each.id) };
  };
  const change = withBack(row, votes);
  return parts === undefined ? change : { ...change, parts: parts.map((part) => withBack(part, [])) };
}

/**
 * Progress of each Undo, by the id of the Change that it undoes: `gone` once the earlier version is healthy. Of a version
 * in trouble also why its automatic way back wasn't run.
 */
async function waysBackOf(reader: Reader, rows: readonly ChangeRow[]): Promise<ReadonlyMap<string, Backs>> {
  const { db, textSealer } = reader;
  const ids = rows.filter((row) => row.is_undone === 1).map(({ id }) => id);
  const undos = await inBatches(ids, (some) =>
    changeRows(db).where("undo_key", "in", some).where(undoCounts).execute(),
  );
  const isStuck = ({ health, progress, is_undone: isUndone }: ChangeRow): boolean =>
    isUndone === 0 && (health ?? progress)?.includes('"kind":"trouble"') === true;
  const lost = await inBatches(
    rows.filter(isStuck).map(({ id }) => wayBackDelivery(id)),
    (some) => changeRows(db).where("delivery_id", "in", some).execute(),
  );
  return new Map(
    [...undos, ...lost].map((row): [string, Backs] => {
      const back = storedChange(textSealer, row, []);
      const { undoOf = "", wayBackEnd } = back;
      if (wayBackEnd !== undefined) return [undoOf, { wayBackEnd }];
      const wayBack = wayBackIn(back);
      return [undoOf, wayBack === undefined ? {} : { wayBack }];
    }),
  );
}

/** Undefined while it isn't approved, and where its own card says more. */
function wayBackIn(back: StoredChange): WayBack | undefined {
  const { id, state, settledAt: at, diff, health, wayBackOf } = back;
  const seen = health ?? back.progress;
  const by = wayBackOf === undefined ? requestIdOf(id) : undefined;
  const known = { by, diff, at };
  if (state === "pending") return undefined;
  if (state === "done" && seen?.kind === "reached") return { ...known, state: "gone", line: seen.line };
  const isUnclear = state === "unknown" && at !== undefined;
  const isOver = isUnclear || health !== undefined;
  const line = isUnclear ? "no clear answer came" : (seen?.outcome ?? seen?.line ?? "");
  if (by === undefined && seen?.kind === "trouble") return { ...known, state: "failing", line };
  // It may be slow, or somebody changed the workload meanwhile: that it failed wasn't seen.
  if (by === undefined && isOver) return { ...known, state: "unclear", line };
  return isOver ? undefined : { ...known, state: "going", line: "" };
}

/** The votes of some Changes, by Change, in the order in which they came. */
async function votesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Vote[]>> {
  const votes = new Map<string, Vote[]>();
  const rows = await inBatches(ids, (some) =>
    db.selectFrom("vote").selectAll().where("change_id", "in", some).orderBy("number").orderBy("voted_at").execute(),
  );
  for (const unread of rows) {
    const {
      changeId,
      userId,
      userName: name,
      votedAt: at,
    } = parseRow(VoteRow, unread, `A vote on ${unread.change_id}`);
    votes.set(changeId, [...(votes.get(changeId) ?? []), { userId, name, at }]);
  }
  return votes;
}

/** The rows of the parts of these requests, by request, in their order. */
async function partRowsOf(
  { db }: Pick<Session, "db">,
  rows: readonly ChangeRow[],
): Promise<ReadonlyMap<string, readonly ChangeRow[]>> {
  const ids = rows.filter((row) => row.part_count > 0).map(({ id }) => id);
  const found = await inBatches(ids, (some) => changeRows(db).where("part_of", "in", some).execute());
  return Map.groupBy(
    found.toSorted((a, b) => placeOf(a) - placeOf(b)),
    ({ id }) => requestIdOf(id),
  );
}

function placeOf({ id }: ChangeRow): number {
  return Number(id.split("/")[1]);
}
