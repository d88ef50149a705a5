import { sql, type Generated, type Kysely } from "kysely";
import { isDiskFull, migrate, type Migration } from "../state/data-folder.ts";

/**
 * The logs of all workloads, in a database of their own. `days` has one row per
 * workload and day, with the cost of its lines, so limits are checked without counting. Ids of `lines` increase in order
 * of arrival.
 */
export type LogTables = {
  days: { id: Generated<number>; workload: string; day: string; cost: number; lines: number; dropped: number };
  lines: { id: Generated<number>; day_id: number; instance: string; line: string };
  /** The instances with lines of a day, also if the oldest of these were dropped since. */
  instances: { id: Generated<number>; day_id: number; instance: string };
  /** How far each source of lines (a container of an instance) was stored, if it can be read again from there. */
  cursors: { workload: string; source: string; cursor: string };
};

export type NewLine = {
  readonly workload: string;
  readonly day: string;
  readonly instance: string;
  readonly line: string;
  /** The position of this line in its source, if that can be read again from there. */
  readonly read?: { readonly source: string; readonly cursor: string };
};

/** Only this many of the newest lines of an older, unlimited database are migrated, to keep the start fast. */
const TAKEN_OVER = 200_000;

/** Migrations of `logs.sqlite`. Append only, never edit. */
const logMigrations: readonly Migration<LogTables>[] = [
  createVersion1,
  [
    `create table cursors (workload text not null, instance text not null, container integer not null,
       cursor text not null, primary key (workload, instance, container))`,
  ],
  [
    `alter table cursors rename to old_cursors`,
    `create table cursors (workload text not null, source text not null, cursor text not null,
       primary key (workload, source))`,
    `insert into cursors select workload, instance || '/' || container, cursor from old_cursors`,
    `drop table old_cursors`,
  ],
  [
    `create table instances (id integer primary key, day_id integer not null, instance text not null,
       unique (day_id, instance))`,
    `insert into instances (day_id, instance) select day_id, instance from lines
       group by day_id, instance order by min(id)`,
  ],
];

/** Creates the tables, or migrates those of an older version. Throws for a file from a newer version of Gantry. */
export async function createLogTables(db: Kysely<LogTables>, path: string): Promise<void> {
  // A short WAL saves space on a small disk.
  await sql`pragma wal_autocheckpoint = 256`.execute(db);
  await migrate(db, path, logMigrations);
  if ((await pragma(db, "auto_vacuum")) !== INCREMENTAL) await giveSpaceBack(db);
}

/** As `pragma auto_vacuum` answers it. */
const INCREMENTAL = 2;

/** Lets removeLines return space to the disk. The setting takes effect with the vacuum, which a later start repeats if the disk is full. */
async function giveSpaceBack(db: Kysely<LogTables>): Promise<void> {
  try {
    await sql`pragma auto_vacuum = incremental`.execute(db);
    await sql`vacuum`.execute(db);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

async function createVersion1(tx: Kysely<LogTables>): Promise<void> {
  const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(tx);
  const isOld = tables.rows.some(({ name }) => name === "lines");
  if (isOld) {
    await sql`alter table lines rename to old_lines`.execute(tx);
    await sql`drop table days`.execute(tx);
  }
  await sql`create table days (id integer primary key, workload text not null, day text not null,
    cost integer not null, lines integer not null, dropped integer not null, unique (workload, day))`.execute(tx);
  await sql`create table lines (id integer primary key, day_id integer not null, instance text not null,
    line text not null)`.execute(tx);
  // SQLite indexes end with the row id, so a page is found by walking this one from the newest end.
  await sql`create index lines_by_day on lines (day_id)`.execute(tx);
  if (isOld) await takeOver(tx);
}

async function takeOver(tx: Kysely<LogTables>): Promise<void> {
  await sql`create temporary table kept as select * from old_lines order by id desc limit ${TAKEN_OVER}`.execute(tx);
  await sql`insert into days (workload, day, cost, lines, dropped)
    select workload, day, sum(${costOf("instance", "line")}), count(*), 0 from kept group by workload, day`.execute(tx);
  await sql`insert into lines (id, day_id, instance, line) select kept.id, days.id, instance, line
    from kept join days using (workload, day) order by kept.id`.execute(tx);
  await sql`drop table kept`.execute(tx);
  await sql`drop table old_lines`.execute(tx);
}

/** Disk space of a row besides its text: header, ids and index entry. */
const ROW_BYTES = 48;

/** Disk space of a line, as SQL over its columns. An empty line is not free. */
export function costOf(instance: string, line: string) {
  return sql<number>`(octet_length(${sql.ref(instance)}) + octet_length(${sql.ref(line)}) + ${sql.lit(ROW_BYTES)})`;
}

/** The same for a line that is not stored yet. */
export function costOfLine({ instance, line }: { readonly instance: string; readonly line: string }): number {
  return Buffer.byteLength(instance) + Buffer.byteLength(line) + ROW_BYTES;
}

export async function pragma(
  db: Kysely<LogTables>,
  name: "user_version" | "freelist_count" | "auto_vacuum",
): Promise<number> {
  const { rows } = await sql.raw<Record<string, number>>(`pragma ${name}`).execute(db);
  return rows[0]?.[name] ?? 0;
}

/** Which instances of a day have lines: to find them among the lines would read the whole log. */
type NewInstance = { readonly dayId: number; readonly instance: string };

/** One parameter for all. */
export async function addInstances(db: Kysely<LogTables>, added: readonly NewInstance[]): Promise<void> {
  const rows = new Map(added.map(({ dayId, instance }) => [`${dayId} ${instance}`, [dayId, instance]]));
  const json = JSON.stringify([...rows.values()]);
  await sql`insert into instances (day_id, instance) select value ->> 0, value ->> 1 from json_each(${json})
    where not exists (select 1 from instances where day_id = value ->> 0 and instance = value ->> 1)
    order by key`.execute(db);
}

export async function hasInstance(
  db: Kysely<LogTables>,
  { workload, instance }: { readonly workload: string; readonly instance: string },
): Promise<boolean> {
  const query = ofWorkload(db, workload).select("instances.id").where("instance", "=", instance);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** A job with more pods than this has only its newest ones named. */
const MOST = 100;

/** In the order of their first lines. */
export async function instancesOf(db: Kysely<LogTables>, workload: string): Promise<string[]> {
  const query = ofWorkload(db, workload).select(["instance", (eb) => eb.fn.min("instances.id").as("first")]);
  const newest = await query.groupBy("instance").orderBy("first", "desc").limit(MOST).execute();
  return newest.map(({ instance }) => instance).toReversed();
}

function ofWorkload(db: Kysely<LogTables>, workload: string) {
  return db.selectFrom("instances").innerJoin("days", "days.id", "instances.day_id").where("workload", "=", workload);
}

export async function removeInstances(db: Kysely<LogTables>, dayId: number): Promise<void> {
  await db.deleteFrom("instances").where("day_id", "=", dayId).execute();
}

/** A container of an instance, whose lines can be read again from a cursor. */
export type Source = { readonly workload: string; readonly source: string };

/** The cursor of the last stored line of a source. */
export async function readCursor(db: Kysely<LogTables>, { workload, source }: Source): Promise<string | undefined> {
  const query = db
    .selectFrom("cursors")
    .select("cursor")
    .where((eb) => eb.and({ workload, source }));
  return (await query.executeTakeFirst())?.cursor;
}

export async function removeCursor(db: Kysely<LogTables>, { workload, source }: Source): Promise<void> {
  await db.deleteFrom("cursors").where("workload", "=", workload).where("source", "=", source).execute();
}

/** One row per source, so that the table stays small however often containers are started. */
export async function writeCursors(db: Kysely<LogTables>, lines: readonly NewLine[]): Promise<void> {
  const last = new Map<string, readonly string[]>();
  for (const { workload, read } of lines) {
    if (read) last.set(JSON.stringify([workload, read.source]), [workload, read.source, read.cursor]);
  }
  if (last.size === 0) return;
  const json = JSON.stringify([...last.values()]);
  await sql`insert into cursors (workload, source, cursor) select value ->> 0, value ->> 1, value ->> 2
    from json_each(${json}) where true on conflict do update set cursor = excluded.cursor`.execute(db);
}
