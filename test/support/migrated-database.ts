import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clockOf, databaseFile } from "../../src/bot/store/database/session.ts";
import { migrate } from "../../src/bot/store/schema/migrations.ts";
import type { Tables } from "../../src/bot/store/schema/tables.ts";
import { openSqlite } from "../../src/platform/database/sqlite.ts";

let template: Promise<Buffer> | undefined;

/**
 * Gives a data folder without a database an empty one that is up to date: to copy it costs a tenth of all migrations,
 * which are tested in test/bot/store.
 */
export async function ensureDatabase(dataDir: string): Promise<void> {
  const file = databaseFile(dataDir);
  if (existsSync(file)) return;
  template ??= migratedOnce();
  const bytes = await template;
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, bytes);
}

/** Once in each worker. */
async function migratedOnce(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), "gantry-template-"));
  const file = databaseFile(dir);
  try {
    const db = openSqlite<Tables>(file);
    await migrate({ db, flavour: "sqlite", clock: clockOf("sqlite", () => 0) });
    await db.destroy();
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
