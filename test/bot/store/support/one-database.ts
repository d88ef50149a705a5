import { type Kysely, sql } from "kysely";
import { afterAll } from "vitest";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import type { Database } from "../contract/bench.ts";

/**
 * A SQLite database for all tests of a file, empty for each. Several replicas share one connection here: a SQLite file
 * has one process, and its contract is the same.
 */
export function sqliteForAll(): () => Promise<Database> {
  const db = openSqlite<Tables>(":memory:");
  afterAll(() => db.destroy());
  return async () => {
    await emptied(db);
    return { where: { kind: "shared", db, flavour: "sqlite" }, db, remove: async () => {} };
  };
}

/** Many times cheaper than all migrations again. */
async function emptied(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name <> 'migration'
  `.execute(db);
  for (const { name } of rows) await sql`delete from ${sql.table(name)}`.execute(db);
}
