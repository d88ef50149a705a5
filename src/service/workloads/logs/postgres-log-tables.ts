import { sql, type Kysely } from "kysely";
import { StartError } from "../state/start-error.ts";
import type { LogTables } from "./log-tables.ts";

/** Apart from the bot's tables, which may be in the same database. */
export const LOG_SCHEMA = "gantry_logs";

/** Migrations of the schema. Append only, never edit. */
const migrations: readonly (readonly string[])[] = [
  [
    `create table gantry_logs.days (id integer generated always as identity primary key, workload text not null,
       day text not null, cost integer not null, lines integer not null, dropped integer not null, unique (workload, day))`,
    `create table gantry_logs.lines (id bigint generated always as identity primary key, day_id integer not null,
       instance text not null, line text not null)`,
    `create index lines_by_day on gantry_logs.lines (day_id, id)`,
    `create table gantry_logs.cursors (workload text not null, source text not null, cursor text not null,
       primary key (workload, source))`,
  ],
  [
    `create table gantry_logs.instances (id bigint generated always as identity primary key, day_id integer not null,
       instance text not null, unique (day_id, instance))`,
    `insert into gantry_logs.instances (day_id, instance) select day_id, instance from gantry_logs.lines
       group by day_id, instance order by min(id)`,
  ],
];

/** Any number that no other program uses for an advisory lock in this database. */
const LOCK = 7_251_940_113;

/**
 * Lets one replica write logs at a time, until the transaction ends. Without it, two replicas that write to several
 * days in different order would wait for each other, and ids would not increase in order of commits.
 */
export async function lockLogs(tx: Kysely<LogTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
}

/** Creates the tables, or migrates those of an older version; once, however many replicas start together. */
export async function createPostgresLogTables(db: Kysely<LogTables>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockLogs(tx);
    const version = await versionOf(tx);
    if (version > migrations.length) {
      throw new StartError(
        `the logs in SERVICE_DATABASE_URL were written by a newer version of Gantry (schema ${version}; this version ` +
          `knows ${migrations.length}). Nothing was changed. Start the newer version, or use another database.`,
      );
    }
    for (const statements of migrations.slice(version)) {
      for (const statement of statements) await sql.raw(statement).execute(tx);
    }
    await sql`update gantry_logs.version set number = ${migrations.length}`.execute(tx);
  });
}

async function versionOf(tx: Kysely<LogTables>): Promise<number> {
  // `create schema if not exists` needs the right to create one even if it exists.
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${LOG_SCHEMA}`.execute(tx);
  if (rows.length === 0) {
    await sql`create schema gantry_logs`.execute(tx);
    await sql`create table gantry_logs.version (number integer not null)`.execute(tx);
    await sql`insert into gantry_logs.version values (0)`.execute(tx);
  }
  const version = await sql<{ number: number }>`select number from gantry_logs.version`.execute(tx);
  return version.rows[0]?.number ?? 0;
}
