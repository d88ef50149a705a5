import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, sql } from "kysely";
import { afterAll } from "vitest";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { contract } from "./contract/contract.ts";

// One for the whole file: it takes seconds to start, and much memory.
const pglite = await PGlite.create();
const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
afterAll(() => db.destroy());

contract("the store on PGlite", async () => {
  // Emptying the tables is many times faster than all migrations again.
  const made = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'migration'
  `.execute(db);
  const names = made.rows.map(({ name }) => name).join(", ");
  if (names !== "") await sql.raw(`truncate ${names} restart identity`).execute(db);
  return { where: { kind: "shared", db, flavour: "postgres" }, db, remove: async () => {} };
});
