import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { clockOf, databaseFile } from "../../src/bot/store/database/session.ts";
import { textSealer } from "../../src/bot/store/database/text-sealer.ts";
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

let statements: Promise<readonly RawBuilder<unknown>[]> | undefined;

/** An empty database in memory that is up to date, as cheap as a copied one. */
export async function migratedInMemory(): Promise<Kysely<Tables>> {
  const db = openSqlite<Tables>(":memory:");
  statements ??= statementsOnce();
  for (const statement of await statements) await statement.execute(db);
  return db;
}

/** What makes the tables as all migrations leave them. */
async function statementsOnce(): Promise<readonly RawBuilder<unknown>[]> {
  const db = openSqlite<Tables>(":memory:");
  await migrate({ db, flavour: "sqlite", clock: clockOf("sqlite", () => 0), textSealer: textSealer(undefined) });
  // SQLite makes its own tables and indexes itself.
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where sql is not null and name not like 'sqlite%'
  `.execute(db);
  const known = await db.selectFrom("migration").selectAll().execute();
  await db.destroy();
  return [
    ...rows.map((row) => sql.raw(row.sql)),
    ...known.map((row) => sql`insert into migration values (${row.number}, ${row.title}, ${row.applied_at})`),
  ];
}

/** Once in each worker. */
async function migratedOnce(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), "gantry-template-"));
  const file = databaseFile(dir);
  try {
    const db = openSqlite<Tables>(file);
    await migrate({ db, flavour: "sqlite", clock: clockOf("sqlite", () => 0), textSealer: textSealer(undefined) });
    await db.destroy();
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
