import { Kysely, PGliteDialect, sql } from "kysely";
import { afterAll } from "vitest";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { openPglite } from "../../support/pglite.ts";
import { contract } from "./contract/contract.ts";

// One for the whole file: it takes long to start, and much memory.
const pglite = await openPglite();
const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
afterAll(() => db.destroy());

contract("the store on PGlite", async () => {
  await emptied();
  return { where: { kind: "shared", db, flavour: "postgres" }, db, remove: async () => {} };
});

/** Many times cheaper than all migrations again, and than `truncate`, which makes a new file for each table and index. */
async function emptied(): Promise<void> {
  const tables = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'migration'
  `.execute(db);
  const sequences = await sql<{ name: string }>`
    select quote_ident(sequencename) as name from pg_sequences where schemaname = 'public'
  `.execute(db);
  await pglite.exec(
    [
      ...tables.rows.map(({ name }) => `delete from ${name};`),
      ...sequences.rows.map(({ name }) => `alter sequence ${name} restart;`),
    ].join("\n"),
  );
}
