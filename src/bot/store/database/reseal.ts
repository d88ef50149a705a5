import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import { chainBind } from "../audit/chain-rows.ts";
import { seenKey } from "../rounds.ts";
import type { ListKey } from "../../workflow/ports.ts";
import type { Db } from "./session.ts";

/** How many values each key sealed, of all that are sealed in the database. */
export type SealedCounts = ReadonlyMap<string, number>;

export type Resealed = {
  /** Values that the first key seals now, and didn't before. */
  readonly resealed: number;
  /** Values that no configured key opens: they stay as they are. */
  readonly unopened: number;
};

const Row = z.record(z.string(), z.unknown());
type Row = z.infer<typeof Row>;

/** Every column with sealed values. Its rows are found by these keys, and its values are bound to these words. */
type Column = {
  readonly table: string;
  readonly key: readonly string[];
  readonly column: string;
  readonly bind: (row: Row) => readonly string[];
};

function listOf(row: Row): ListKey {
  const kind = row["kind"] === "job" ? "job" : "service";
  return { teamId: textOf(row["team_id"]), account: textOf(row["account"]), region: textOf(row["region"]), kind };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const words = (id: string): readonly string[] => ["words", id];

/** A test compares it with what a whole database holds. */
const columns: readonly Column[] = [
  {
    table: "account",
    key: ["team_id", "owner_kind", "owner_id"],
    column: "sealed_token",
    bind: (row) => ["account", ...["team_id", "owner_kind", "owner_id", "username"].map((name) => textOf(row[name]))],
  },
  { table: "change", key: ["id"], column: "sealed", bind: ({ id }) => ["change", textOf(id)] },
  { table: "change", key: ["id"], column: "reason", bind: ({ id }) => words(textOf(id)) },
  { table: "change", key: ["id"], column: "diff", bind: ({ id }) => words(textOf(id)) },
  { table: "change", key: ["id"], column: "ending", bind: ({ id }) => words(textOf(id)) },
  { table: "event", key: ["seq"], column: "result", bind: (row) => words(textOf(row["change_id"])) },
  { table: "delivery", key: ["id"], column: "sealed", bind: ({ id }) => ["delivery", textOf(id)] },
  { table: "follow", key: ["id"], column: "sealed", bind: ({ id }) => ["follow", textOf(id)] },
  {
    table: "installation",
    key: ["id"],
    column: "sealed_tokens",
    bind: (row) => ["installation", row["is_org"] === 1 ? "organization" : "workspace", textOf(row["id"])],
  },
  {
    table: "seen",
    key: ["team_id", "account", "region", "kind", "name"],
    column: "state",
    bind: (row) => words(seenKey(listOf(row), textOf(row["name"]))),
  },
  { table: "incident", key: ["id"], column: "state", bind: ({ id }) => words(`incident ${textOf(id)}`) },
  {
    table: "notice",
    key: ["team_id", "place", "id"],
    column: "event",
    bind: ({ id }) => words(`notice ${textOf(id)}`),
  },
  { table: "audit_chain", key: ["id"], column: "sealed_secret", bind: ({ chain }) => chainBind(textOf(chain)) },
];

/** As `Sealer` writes it. */
const SEALED = /g1\.([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]+/u;

/** The sealed text in a value; an ending holds it in its JSON. */
function sealedIn(value: unknown): { readonly sealed: string; readonly keyId: string } | undefined {
  const [sealed, keyId] = SEALED.exec(textOf(value)) ?? [];
  return sealed === undefined || keyId === undefined ? undefined : { sealed, keyId };
}

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
      await db.transaction().execute(async (tx) => {
        for (const update of updates.slice(from, from + AT_ONCE)) {
          resealed += Number((await update.execute(tx)).numAffectedRows ?? 0n);
        }
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
