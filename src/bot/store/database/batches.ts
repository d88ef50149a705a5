import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Values in one `in (…)`, and rows removed at once. SQLite takes 32,766 values in a statement, PostgreSQL 65,535; and a
 * statement about very many rows holds up all others.
 */
export const BATCH = 1_000;

/** Reads rows by ids, however many there are. */
export async function inBatches<Row>(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < ids.length; from += BATCH) {
    for (const row of await read(ids.slice(from, from + BATCH))) rows.push(row);
  }
  return rows;
}

/** Calls `remove`, which removes at most `BATCH` rows and returns how many, until none is left. Others get their turn in between. */
export async function untilNone(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) > 0) await nextTurn();
}
