import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type { Sealer } from "../../accounts/seal.ts";
import { type Column, columns, type Row, sealedIn, textOf } from "./sealed-columns.ts";
import { type Db, inTransaction } from "./session.ts";

/** How many values each key sealed, of all that are sealed in the database. */
export type SealedCounts = ReadonlyMap<string, number>;

export type Resealed = {
  /** Values that the first key seals now, and didn't before. */
  readonly resealed: number;
  /** Values that no configured key opens: they stay as they are. */
  readonly unopened: number;
};

async function rowsOf(db: Db, { table, column }: Column): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} like ${"%g1.%"}`.execute(
    db,
  );
  return rows.filter((row) => sealedIn(row[column]) !== undefined);
}

export async function sealedCounts(db: Db): Promise<SealedCounts> {
  const counts = new Map<string, number>();
  for (const column of columns) {
    for (const row of await rowsOf(db, column)) {
      const { keyId = "" } = sealedIn(row[column.column]) ?? {};
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    }
  }
  return counts;
}

/** Updates of one transaction: Gantry may run beside it, and its people wait for no more than these. */
const AT_ONCE = 50;

/** Seals every value with the first key that another one sealed. What changes meanwhile stays as it was changed. */
export async function resealAll(db: Db, sealer: Sealer): Promise<Resealed> {
  let [resealed, unopened] = [0, 0];
  for (const column of columns) {
    const updates: RawBuilder<unknown>[] = [];
    for (const row of await rowsOf(db, column)) {
      const value = textOf(row[column.column]);
      const { sealed = "" } = sealedIn(value) ?? {};
      if (sealer.isCurrent(sealed)) continue;
      const next = resealedText(sealer, sealed, column.bind(row));
      if (next === undefined) unopened += 1;
      else updates.push(updateOf(column, row, { value, next: value.replace(sealed, () => next) }));
    }
    for (let from = 0; from < updates.length; from += AT_ONCE) {
      const some = updates.slice(from, from + AT_ONCE);
      resealed += await inTransaction({ db }, async ({ db: tx }) => {
        let rows = 0;
        for (const update of some) rows += Number((await update.execute(tx)).numAffectedRows ?? 0n);
        return rows;
      });
      await nextTurn();
    }
  }
  return { resealed, unopened };
}

function resealedText(sealer: Sealer, sealed: string, bind: readonly string[]): string | undefined {
  try {
    return sealer.seal(sealer.open(sealed, bind), bind);
  } catch {
    return undefined;
  }
}

type Change = { readonly value: string; readonly next: string };

function updateOf({ table, key, column }: Column, row: Row, { value, next }: Change): RawBuilder<unknown> {
  const where = [...key.map((name) => sql`${sql.ref(name)} = ${row[name]}`), sql`${sql.ref(column)} = ${value}`];
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next} where ${sql.join(where, sql` and `)}`;
}
