import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Makes the database of a data folder from SQL, as an earlier Gantry left it. */
export function writeDatabase(dataDir: string, sql: string): void {
  mkdirSync(dataDir, { recursive: true });
  const db = new DatabaseSync(join(dataDir, "gantry.sqlite"));
  db.exec(sql);
  db.close();
}
