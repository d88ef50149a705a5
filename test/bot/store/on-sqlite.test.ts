import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { contract } from "./contract/contract.ts";

// Several replicas share one connection here: a SQLite file has one process, and its contract is the same.
contract("the store on SQLite", async () => {
  const db = openSqlite<Tables>(":memory:");
  return { where: { kind: "shared", db, flavour: "sqlite" }, db, remove: () => db.destroy() };
});
