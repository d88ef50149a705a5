import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect, sql } from "kysely";
import { afterAll } from "vitest";
import type { Tables } from "../../src/store/schema/tables.ts";
import { contract } from "./contract/contract.ts";

// One for the whole file: it takes seconds to start, and much memory.
const pglite = await PGlite.create();
const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
afterAll(() => db.destroy());

contract("the store on PGlite", async () => {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  return { where: { kind: "shared", db, flavour: "postgres" }, db, remove: async () => {} };
});
