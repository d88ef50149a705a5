import { sql, type Kysely } from "kysely";

/**
 * Log lines of all workloads, in a file of their own. Lines are numbered as they arrive; `days` holds what one day of
 * one workload has, so that the bound is checked without counting.
 */
export type LogTables = {
  lines: { id: number; workload: string; day: string; instance: string; line: string; bytes: number };
  days: { workload: string; day: string; bytes: number; dropped: number };
};

/** How much log is kept of one workload. */
export type LogLimits = { readonly bytesPerDay: number; readonly days: number };
export const DEFAULT_LOG_LIMITS: LogLimits = { bytesPerDay: 8 * 1024 * 1024, days: 7 };

export type NewLine = {
  readonly workload: string;
  readonly day: string;
  readonly instance: string;
  readonly line: string;
};
export type LogPage = {
  readonly workload: string;
  readonly instance?: string | undefined;
  /** 2026-11-21 */
  readonly day: string;
  /** How many of the newest lines are left out. */
  readonly from: number;
  readonly size: number;
};

/** How much goes at once when a day is over its bound, at most: it has to be soon done. */
const DROPPED_AT_ONCE = 128 * 1024;

export async function createLogTables(db: Kysely<LogTables>): Promise<void> {
  // Unlike the state, the last moments of a log may be lost with the power.
  await sql`pragma synchronous = normal`.execute(db);
  await sql`create table if not exists lines (id integer primary key, workload text not null, day text not null,
    instance text not null, line text not null, bytes integer not null)`.execute(db);
  // An index of SQLite ends with the row's id: pages are found by walking it from the newest end.
  await sql`create index if not exists lines_of_day on lines (workload, day)`.execute(db);
  await sql`create table if not exists days (workload text not null, day text not null, bytes integer not null,
    dropped integer not null, primary key (workload, day))`.execute(db);
}

/** Writes lines, and drops the oldest of a day that is over its bound; all of it or nothing. */
export async function writeLines(db: Kysely<LogTables>, lines: readonly NewLine[], limits: LogLimits): Promise<void> {
  const rows = lines.map((line) => ({ ...line, bytes: Buffer.byteLength(line.line) + 1 }));
  await db.transaction().execute(async (tx) => {
    // One parameter for all lines: a statement with thousands of them takes ten times as long to be built and read.
    await sql`insert into lines (workload, day, instance, line, bytes)
      select value ->> 'workload', value ->> 'day', value ->> 'instance', value ->> 'line', value ->> 'bytes'
      from json_each(${JSON.stringify(rows)}) order by key`.execute(tx);
    for (const { workload, day, bytes } of sums(rows)) {
      const total = await addBytes(tx, { workload, day, bytes });
      const spare = Math.min(limits.bytesPerDay * 0.1, DROPPED_AT_ONCE);
      if (total > limits.bytesPerDay) await dropOldest(tx, { workload, day }, total - limits.bytesPerDay + spare);
    }
  });
}

function sums(rows: readonly (NewLine & { bytes: number })[]): { workload: string; day: string; bytes: number }[] {
  const found = new Map<string, { workload: string; day: string; bytes: number }>();
  for (const { workload, day, bytes } of rows) {
    const key = `${workload} ${day}`;
    found.set(key, { workload, day, bytes: bytes + (found.get(key)?.bytes ?? 0) });
  }
  return [...found.values()];
}

async function addBytes(
  db: Kysely<LogTables>,
  added: { workload: string; day: string; bytes: number },
): Promise<number> {
  const { bytes } = await db
    .insertInto("days")
    .values({ ...added, dropped: 0 })
    .onConflict((conflict) =>
      conflict.columns(["workload", "day"]).doUpdateSet((eb) => ({ bytes: eb("days.bytes", "+", added.bytes) })),
    )
    .returning("bytes")
    .executeTakeFirstOrThrow();
  return bytes;
}

/**
 * Over the bound the oldest lines of the day go, since the newest tell why something failed. Some more
 * than needed goes, so that not every write has to drop; the last line that goes is overwritten with a line that says so.
 */
async function dropOldest(
  db: Kysely<LogTables>,
  { workload, day }: { workload: string; day: string },
  excess: number,
): Promise<void> {
  let freed = 0;
  let last: number | undefined;
  let count = 0;
  while (freed < excess) {
    const batch = await db
      .selectFrom("lines")
      .select(["id", "bytes"])
      .where("workload", "=", workload)
      .where("day", "=", day)
      .where("id", ">", last ?? -1)
      .orderBy("id")
      .limit(1_000)
      .execute();
    if (batch.length === 0) break;
    for (const row of batch) {
      if (freed >= excess) break;
      freed += row.bytes;
      last = row.id;
      count += 1;
    }
  }
  if (last === undefined) return;
  await overwrite(db, { workload, day, last, count, freed });
}

async function overwrite(
  db: Kysely<LogTables>,
  gone: { workload: string; day: string; last: number; count: number; freed: number },
): Promise<void> {
  const ofDay = db.selectFrom("days").where("workload", "=", gone.workload).where("day", "=", gone.day);
  const { dropped } = await ofDay.select("dropped").executeTakeFirstOrThrow();
  // The line that said so last time is the oldest one now, and no line of the program.
  const total = dropped + gone.count - (dropped > 0 ? 1 : 0);
  const line = `[gantry] the first ${total} lines of this day were dropped: a day may have so many bytes only`;
  const bytes = Buffer.byteLength(line) + 1;
  const lines = { workload: gone.workload, day: gone.day };
  await db
    .deleteFrom("lines")
    .where("workload", "=", lines.workload)
    .where("day", "=", lines.day)
    .where("id", "<", gone.last)
    .execute();
  await db.updateTable("lines").set({ line, bytes }).where("id", "=", gone.last).execute();
  await db
    .updateTable("days")
    .set((eb) => ({ dropped: total, bytes: eb("bytes", "-", gone.freed - bytes) }))
    .where("workload", "=", lines.workload)
    .where("day", "=", lines.day)
    .execute();
}

/** A page of lines, counted from the newest of the day; oldest first inside the page. */
export async function readPage(db: Kysely<LogTables>, page: LogPage): Promise<{ instance: string; line: string }[]> {
  let query = db
    .selectFrom("lines")
    .select(["instance", "line"])
    .where("workload", "=", page.workload)
    .where("day", "=", page.day);
  if (page.instance !== undefined) query = query.where("instance", "=", page.instance);
  return (await query.orderBy("id", "desc").limit(page.size).offset(page.from).execute()).toReversed();
}

/** Removes all lines of a workload. */
export async function removeLines(db: Kysely<LogTables>, workload: string): Promise<void> {
  await db.deleteFrom("lines").where("workload", "=", workload).execute();
  await db.deleteFrom("days").where("workload", "=", workload).execute();
}

/** Removes the days before `day`, of all workloads. */
export async function removeDaysBefore(db: Kysely<LogTables>, day: string): Promise<void> {
  const old = await db.selectFrom("days").select(["workload", "day"]).where("day", "<", day).execute();
  for (const one of old) {
    await db.deleteFrom("lines").where("workload", "=", one.workload).where("day", "=", one.day).execute();
  }
  await db.deleteFrom("days").where("day", "<", day).execute();
}
