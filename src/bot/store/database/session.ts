import { type CompiledQuery, type Kysely, type RawBuilder, type Selectable, sql, type UpdateObject } from "kysely";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { ChainKeys } from "../../audit/chain.ts";
import type { Tables } from "../schema/tables.ts";
import type { TextSealer } from "./text-sealer.ts";
import type { PostgresOptions } from "../../../platform/database/postgres.ts";
import type { SqliteOptions } from "../../../platform/database/sqlite.ts";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreError } from "../../errors.ts";
import { databaseTroubleOf } from "../../../platform/database/database-trouble.ts";
import { createTurns } from "../../../platform/turns.ts";

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

/** The database, its clock, and this replica's identity, for every statement. */
export type Session = {
  readonly db: Db;
  readonly flavour: Flavour;
  readonly clock: DatabaseClock;
  /** For work done now and then. Never stored, never compared with a row. */
  readonly machine: MachineClock;
  readonly replicaId: string;
  /** How long the lease of a new request or delivery lasts, and how long this replica counts as alive after `beat`. */
  readonly leaseMs: number;
  /** How much of the lease must be left when something is claimed: the request leaves within this time. */
  readonly sendWithinMs: number;
  /** How long history is kept; for ever without it. */
  readonly keepHistoryMs: number | undefined;
  readonly textSealer: TextSealer;
  /** Of the chain that history joins; undefined without keys. */
  readonly chain: ChainKeys | undefined;
  readonly log: Logger;
  /** Whether this statement made work due now: the bot begins it once the statement is done. */
  readonly scheduled: { isNow: boolean };
};

export type MachineClock = Pick<Clock, "now" | "elapsedMs" | "after" | "sleep">;

/** Where the rows lie. */
export type StorePlace =
  | ({ readonly kind: "sqlite"; readonly dataDir: string } & SqliteOptions)
  | ({ readonly kind: "postgres" } & PostgresOptions)
  /** Opened and closed by somebody else: so several stores, as replicas, share one database without a server. */
  | { readonly kind: "shared"; readonly db: Kysely<Tables>; readonly flavour: Flavour };

/** The database file in a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, "gantry.sqlite");
}

/** The two kinds of SQL that Gantry speaks. */
export type Flavour = "sqlite" | "postgres";

/**
 * The database's time, some milliseconds from now, as ISO 8601 text in UTC with milliseconds: texts that sort like the
 * times they stand for. Replicas on machines with different clocks agree on it.
 */
export type DatabaseClock = {
  (plusMs?: number): RawBuilder<string>;
  /** The same distance as an interval, for `timeAt`. */
  readonly shift: (plusMs?: number) => string;
};

/** `offsetMs` moves the clock, for tests; it is asked each time. */
export function clockOf(flavour: Flavour, offsetMs: () => number): DatabaseClock {
  const shift = (plusMs = 0): string => `${((offsetMs() + plusMs) / 1000).toFixed(3)} seconds`;
  return Object.assign((plusMs?: number) => timeAt(flavour, shift(plusMs)), { shift });
}

export function timeAt(flavour: Flavour, shift: string): RawBuilder<string> {
  if (flavour === "sqlite") return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${shift})`;
  // Not now(): that stands still for a transaction, also while it waits for somebody's lock.
  return sql<string>`to_char((clock_timestamp() at time zone 'utc') + cast(${shift} as interval), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** PostgreSQL ended one transaction because of another: a serialization failure, a deadlock, or a long wait for a lock. */
const CONFLICTS: readonly unknown[] = ["40001", "40P01", "55P03"];
const MOST_ATTEMPTS = 3;

/**
 * Every transaction of the bot: `inside` is the session with the transaction as its `db`. When PostgreSQL ended it because of another one,
 * nothing was changed, and `work` runs again. So `work` may change nothing but rows.
 */
export async function inTransaction<Outside extends Pick<Session, "db">, Result>(
  session: Outside,
  work: (inside: Outside) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await session.db.transaction().execute((db) => work({ ...session, db }));
    } catch (error) {
      const isConflict = error instanceof Error && "code" in error && CONFLICTS.includes(error.code);
      if (!isConflict || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;
/** Values that a row has. */
export type Having<Name extends keyof Tables> = {
  readonly [Column in keyof Row<Name>]?: NonNullable<Row<Name>[Column]>;
};
type Changes<Name extends keyof Tables> = {
  readonly [Column in keyof Row<Name>]?: Row<Name>[Column] | RawBuilder<unknown>;
};

function equal(values: object, between: RawBuilder<unknown>): RawBuilder<unknown> {
  const pairs = Object.entries(values).map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  return sql.join(pairs, between);
}

const and = sql` and `;

export async function rowsOf<Name extends keyof Tables>(db: Db, table: Name, having: Having<Name>) {
  const { rows } = await sql<Row<Name>>`select * from ${sql.table(table)} where ${equal(having, and)}`.execute(db);
  return rows;
}

export async function rowOf<Name extends keyof Tables>(db: Db, table: Name, having: Having<Name>) {
  return (await rowsOf(db, table, having)).at(0);
}

export async function countRows<Name extends keyof Tables>(db: Db, table: Name, having: Having<Name>): Promise<number> {
  const { rows } = await sql<{
    count: number | string;
  }>`select count(*) as count from ${sql.table(table)} where ${equal(having, and)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Resolves to the number of rows that were removed. */
export async function removeRows<Name extends keyof Tables>(db: Db, table: Name, having: Having<Name>) {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${equal(having, and)}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Resolves to the number of rows that were changed. */
export async function updateRows<Name extends keyof Tables>(
  db: Db,
  table: Name,
  { having, set }: { readonly having: Having<Name>; readonly set: Changes<Name> },
) {
  const changes = equal(set, sql`, `);
  const where = equal(having, and);
  const { numAffectedRows } = await sql`update ${sql.table(table)} set ${changes} where ${where}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Values in one `in (…)`, and rows removed at once. SQLite takes 32,766 values in a statement, PostgreSQL 65,535; and a
 * statement about very many rows holds up all others.
 */
export const BATCH = 1_000;

/** Rows in one insert. Sealing and writing them takes about ten milliseconds, during which nothing else runs. */
export const WRITTEN_AT_ONCE = 100;

export function* slices<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** For the conflict of an insert: these columns become those of the new row. */
export function replaced<Name extends keyof Tables>(...columns: readonly (keyof Tables[Name] & string)[]) {
  const pairs = columns.map((column) => [column, sql.ref(`excluded.${column}`)] as const); // pairs
  return Object.fromEntries(pairs) as UpdateObject<Tables, Name>; // of each of them
}

/** Reads or writes rows by ids, however many there are. */
export async function inBatches<Found>(
  ids: readonly string[],
  work: (some: readonly string[]) => Promise<readonly Found[] | void>,
): Promise<Found[]> {
  const rows: Found[] = [];
  const { stepAside } = createTurns();
  for (const some of slices(ids, BATCH)) {
    for (const row of (await work(some)) ?? []) rows.push(row);
    await stepAside();
  }
  return rows;
}

/** Calls `remove`, which removes at most `BATCH` rows and returns how many, until none is left. Others get their turn in between. */
export async function untilNone(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) > 0) await nextTurn();
}

/**
 * The `StoreError` for an error of the driver; undefined for anything else, which is a bug. The message doesn't say whether
 * anything changed: the database can fail before a request is sent, and after it.
 */
export function storeErrorOf(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return undefined;
  const why = databaseTroubleOf(error, "DATABASE_URL");
  return why === undefined ? undefined : unusable(why, error);
}

export function unusable(why: string, cause?: unknown): StoreError {
  return new StoreError(
    `Gantry's database can't be used: ${why}. Try again in a minute. ` +
      "If this keeps happening, contact your Gantry admin.",
    { cause, why },
  );
}

/** Whether a row was refused because a value that must be unique is there already, in this column of `change`. */
export function isTaken(error: unknown, column: string): boolean {
  if (!(error instanceof Error)) return false;
  const isPostgres = "code" in error && error.code === "23505" && "constraint" in error;
  if (isPostgres) return error.constraint === `change_${column}`;
  return error.message.includes(`UNIQUE constraint failed: change.${column}`);
}

type Building = Pick<Session, "db" | "flavour">;

/**
 * Caches the compiled statement of a hot query, also for transactions: building one takes several times as long as running it. Each
 * set of defined values has its own. `build` gets placeholders, so it may only check whether a value is undefined.
 */
export function builtOnce<Given extends Readonly<Record<string, unknown>>, Row>(
  build: (session: Building, given: Given) => { compile(): CompiledQuery<Row> },
): (session: Building, given: Given) => Promise<readonly Row[]> {
  const built = new Map<Flavour, Map<string, CompiledQuery<Row>>>();
  return async (session, given) => {
    const { db, flavour } = session;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const key = names.join(" ");
    const known = built.get(flavour) ?? new Map<string, CompiledQuery<Row>>();
    built.set(flavour, known);
    const standIns = (): Given => Object.fromEntries(names.map((name) => [name, Symbol(name)])) as Given; // see above
    const query = known.get(key) ?? build(session, standIns()).compile();
    known.set(key, query);
    const parameters = query.parameters.map((value) =>
      typeof value === "symbol" ? given[value.description ?? ""] : value,
    );
    const bound: CompiledQuery<Row> = { ...query, parameters };
    return (await db.executeQuery(bound)).rows;
  };
}
