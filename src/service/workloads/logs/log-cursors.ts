import type { Kysely } from "kysely";
import type { LogTables } from "./log-tables.ts";
import type { NewLine } from "./log-tables.ts";

/** A container of an instance, whose lines can be read again from a cursor. */
export type Source = { readonly workload: string; readonly source: string };

/** The cursor of the last stored line of a source. */
export async function readCursor(db: Kysely<LogTables>, { workload, source }: Source): Promise<string | undefined> {
  const row = await db
    .selectFrom("cursors")
    .select("cursor")
    .where("workload", "=", workload)
    .where("source", "=", source)
    .executeTakeFirst();
  return row?.cursor;
}

/** By source. */
export async function readCursorsOf(db: Kysely<LogTables>, workload: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("cursors").selectAll().where("workload", "=", workload).execute();
  return new Map(rows.map(({ source, cursor }) => [source, cursor]));
}

export async function removeCursor(db: Kysely<LogTables>, { workload, source }: Source): Promise<void> {
  await db.deleteFrom("cursors").where("workload", "=", workload).where("source", "=", source).execute();
}

/** Sources in one statement; SQLite limits how deep an expression may be. */
const AT_ONCE = 200;

/**
 * The lines that aren't stored yet: of sources with ordered cursors, those after the stored cursor, so that a line that
 * two replicas read is taken once. Call it in the transaction that stores them.
 */
export async function unstoredOf(db: Kysely<LogTables>, lines: readonly NewLine[]): Promise<readonly NewLine[]> {
  const ordered = lines.flatMap(({ workload, read }) =>
    read?.isOrdered ? [{ workload, source: read.source, cursor: "" }] : [],
  );
  if (ordered.length === 0) return lines;
  const last = new Map<string, string>();
  for (const row of await readCursors(db, [...new Map(ordered.map((each) => [keyOf(each), each])).values()])) {
    last.set(keyOf(row), row.cursor);
  }
  return lines.filter(({ workload, read }) => {
    if (!read?.isOrdered) return true;
    const key = keyOf({ workload, source: read.source });
    if (read.cursor <= (last.get(key) ?? "")) return false;
    last.set(key, read.cursor);
    return true;
  });
}

async function readCursors(db: Kysely<LogTables>, sources: readonly Source[]): Promise<LogTables["cursors"][]> {
  const rows: LogTables["cursors"][] = [];
  for (const some of inGroups(sources)) {
    const found = await db
      .selectFrom("cursors")
      .selectAll()
      .where((eb) =>
        eb.or(some.map(({ workload, source }) => eb.and([eb("workload", "=", workload), eb("source", "=", source)]))),
      )
      .execute();
    for (const row of found) rows.push(row);
  }
  return rows;
}

/** One row per source, so that the table stays small however often containers are started. */
export async function writeCursors(db: Kysely<LogTables>, lines: readonly NewLine[]): Promise<void> {
  const last = new Map<string, LogTables["cursors"]>();
  for (const { workload, read } of lines) {
    if (!read) continue;
    const row = { workload, source: read.source, cursor: read.cursor };
    last.set(keyOf(row), row);
  }
  for (const rows of inGroups([...last.values()])) await upsert(db, rows);
}

export async function writeCursor(db: Kysely<LogTables>, cursor: LogTables["cursors"]): Promise<void> {
  await upsert(db, [cursor]);
}

/** Stores a cursor unless the source has one. Returns the one that is stored: of several replicas, the first decides. */
export async function keepCursor(db: Kysely<LogTables>, cursor: LogTables["cursors"]): Promise<string> {
  await db
    .insertInto("cursors")
    .values(cursor)
    .onConflict((conflict) => conflict.columns(["workload", "source"]).doNothing())
    .execute();
  return (await readCursor(db, cursor)) ?? cursor.cursor;
}

async function upsert(db: Kysely<LogTables>, rows: LogTables["cursors"][]): Promise<void> {
  await db
    .insertInto("cursors")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["workload", "source"]).doUpdateSet((eb) => ({ cursor: eb.ref("excluded.cursor") })),
    )
    .execute();
}

function* inGroups<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE);
}

function keyOf({ workload, source }: Source): string {
  return JSON.stringify([workload, source]);
}
