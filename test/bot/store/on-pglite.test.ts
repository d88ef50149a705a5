import { Kysely, PGliteDialect } from "kysely";
import { afterAll } from "vitest";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { openPglite } from "../../support/pglite.ts";
import { contract } from "./contract/contract.ts";
import { emptyAfterMigrating } from "./support/emptied.ts";

// One for the whole file: it takes long to start, and much memory.
const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: await openPglite() }) });
afterAll(() => db.destroy());
const empty = emptyAfterMigrating(db);

contract("the store on PGlite", async () => {
  await empty();
  return { where: { kind: "shared", db, flavour: "postgres" }, db, remove: async () => {} };
});
