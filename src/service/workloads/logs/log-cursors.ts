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

export async function removeCursor(db: Kysely<LogTables>, { workload, source }: Source): Promise<void> {
  await db.deleteFrom("cursors").where("workload", "=", workload).where("source", "=", source).execute();
}

/** Rows in one statement. */
const AT_ONCE = 200;

/** One row per source, so that the table stays small however often containers are started. */
export async function writeCursors(db: Kysely<LogTables>, lines: readonly NewLine[]): Promise<void> {
  const last = new Map<string, LogTables["cursors"]>();
  for (const { workload, read } of lines) {
    if (!read) continue;
    const row = { workload, source: read.source, cursor: read.cursor };
    last.set(keyOf(row), row);
  }
  const all = [...last.values()];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await db
      .insertInto("cursors")
      .values(all.slice(at, at + AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(["workload", "source"]).doUpdateSet((eb) => ({ cursor: eb.ref("excluded.cursor") })),
      )
      .execute();
  }
}

function keyOf({ workload, source }: Source): string {
  return JSON.stringify([workload, source]);
}
