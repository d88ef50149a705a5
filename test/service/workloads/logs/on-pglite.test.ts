import { Kysely, PGliteDialect, sql } from "kysely";
import { afterAll } from "vitest";
import {
  type LogTables,
  createPostgresLogTables,
  LOG_SCHEMA,
} from "../../../../src/service/workloads/logs/log-tables.ts";
import { openPglite } from "../../../support/pglite.ts";
import { contract } from "./contract/contract.ts";
import { logsOver } from "./open-logs.ts";

// One for the whole file: it takes long to start, and much memory.
const pglite = await openPglite();
const db = new Kysely<LogTables>({ dialect: new PGliteDialect({ pglite }) }).withSchema(LOG_SCHEMA);
afterAll(() => db.destroy());

contract("the logs on PGlite", async (limits) => {
  await sql`drop schema if exists gantry_logs cascade`.execute(db);
  await createPostgresLogTables(db);
  await createPostgresLogTables(db);
  return logsOver({ db, flavour: "postgres" }, limits);
});
