import { z } from "zod";
import { chainBind } from "../audit/chain-rows.ts";
import { dueBind } from "../due.ts";
import { seenKey } from "../rounds.ts";
import type { ListKey } from "../../workflow/stored.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import type { Sealer } from "../../accounts/seal.ts";
import { type Db, inTransaction } from "./session.ts";

const Row = z.record(z.string(), z.unknown());
export type Row = z.infer<typeof Row>;

/** A column with sealed values: the key of its rows, and the words that its values are bound to. */
export type Column = {
  /** What the values are, as the doctor says it: "account tokens". */
  readonly what: string;
  readonly table: string;
  readonly key: readonly string[];
  /** The column that the newest rows are found by; undefined for a table with few rows. */
  readonly age?: string;
  readonly column: string;
  readonly bind: (row: Row) => readonly string[];
};

function listOf(row: Row): ListKey {
  const kind = row["kind"] === "job" ? "job" : "service";
  return { teamId: textOf(row["team_id"]), account: textOf(row["account"]), region: textOf(row["region"]), kind };
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const words = (id: string): readonly string[] => ["words", id];

/** All of them: a test compares this list with a whole database. */
export const columns: readonly Column[] = [
  {
    what: "account tokens",
    table: "account",
    age: "linked_at",
    key: ["team_id", "owner_kind", "owner_id"],
    column: "sealed_token",
    bind: (row) => ["account", ...["team_id", "owner_kind", "owner_id", "username"].map((name) => textOf(row[name]))],
  },
  {
    what: "stored requests",
    table: "change",
    age: "created_at",
    key: ["id"],
    column: "sealed",
    bind: ({ id }) => ["change", textOf(id)],
  },
  ...["reason", "diff", "ending", "health", "progress"].map((column) => ({
    what: "texts of requests and history",
    table: "change",
    age: "created_at",
    key: ["id"],
    column,
    bind: ({ id }: Row) => words(textOf(id)),
  })),
  {
    what: "texts of requests and history",
    table: "event",
    age: "seq",
    key: ["seq"],
    column: "result",
    bind: (row) => words(textOf(row["change_id"])),
  },
  {
    what: "followed logs",
    table: "follow",
    age: "created_at",
    key: ["id"],
    column: "sealed",
    bind: ({ id }) => ["follow", textOf(id)],
  },
  {
    what: "tokens of workspaces",
    table: "installation",
    key: ["id"],
    column: "sealed_tokens",
    bind: (row) => ["installation", row["is_org"] === 1 ? "organization" : "workspace", textOf(row["id"])],
  },
  {
    what: "news of watched workloads",
    table: "seen",
    key: ["team_id", "account", "region", "kind", "name"],
    column: "state",
    bind: (row) => words(seenKey(listOf(row), textOf(row["name"]))),
  },
  {
    what: "news of watched workloads",
    table: "incident",
    age: "opened_at",
    key: ["id"],
    column: "state",
    bind: ({ id }) => words(`incident ${textOf(id)}`),
  },
  {
    what: "news of watched workloads",
    table: "notice",
    age: "due_at",
    key: ["team_id", "place", "id"],
    column: "event",
    bind: ({ id }) => words(`notice ${textOf(id)}`),
  },
  {
    what: "work that is due",
    table: "due",
    key: ["kind", "key"],
    column: "payload",
    bind({ kind, key }) {
      const bound = dueBind({ kind: textOf(kind), key: textOf(key) });
      return typeof bound === "string" ? words(bound) : bound;
    },
  },
  {
    what: "messages that are due",
    table: "post",
    key: ["id"],
    column: "payload",
    bind: ({ kind, key }) => words(`post ${textOf(kind)} ${textOf(key)}`),
  },
  {
    what: "audit chains",
    table: "audit_chain",
    key: ["id"],
    column: "sealed_secret",
    bind: ({ chain }) => chainBind(textOf(chain)),
  },
];

/** As `Sealer` writes it. */
const SEALED = /g1\.([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]+/u;

/** The sealed text in a value; endings and health hold it in their JSON. */
export function sealedIn(value: unknown): { readonly sealed: string; readonly keyId: string } | undefined {
  const [sealed, keyId] = SEALED.exec(textOf(value)) ?? [];
  return sealed === undefined || keyId === undefined ? undefined : { sealed, keyId };
}

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
