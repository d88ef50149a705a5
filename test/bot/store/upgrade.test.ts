import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { upgrades } from "./contract/upgrades.ts";

upgrades("an upgrade of a database that replicas share", async () => {
  const db = openSqlite<Tables>(":memory:");
  return { where: { kind: "shared", db, flavour: "sqlite" }, db, remove: () => db.destroy() };
});
