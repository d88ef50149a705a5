import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { keepBounds, type LogLimits } from "./log-bounds.ts";
import {
  writeCursors,
  addInstances,
  removeInstances,
  costOfLine,
  type NewLine,
  pragma,
  type LogTables,
} from "./log-tables.ts";

export type LogPage = {
  readonly workload: string;
  readonly instance?: string | undefined;
  /** 2026-11-21 */
  readonly day: string;
  /** How many of the newest lines are left out. */
  readonly from: number;
  readonly size: number;
};

type AddedDay = { readonly workload: string; readonly day: string; readonly cost: number; readonly lines: number };

/** Writes lines and their cursors, and drops the oldest over a limit, in one transaction. */
export async function writeLines(db: Kysely<LogTables>, lines: readonly NewLine[], limits: LogLimits): Promise<void> {
  if (lines.length === 0) return;
  await db.transaction().execute(async (tx) => {
    const added = new Map<string, { dayId: number; workload: string }>();
    for (const [key, day] of daysOf(lines)) added.set(key, { dayId: await addToDay(tx, day), workload: day.workload });
    const dayIdOf = (line: NewLine): number => added.get(keyOf(line))?.dayId ?? 0;
    const rows = lines.map((line) => [dayIdOf(line), line.instance, line.line]);
    await insertLines(tx, rows);
    await addInstances(
      tx,
      lines.map((line) => ({ dayId: dayIdOf(line), instance: line.instance })),
    );
    await writeCursors(tx, lines);
    await keepBounds(tx, [...added.values()], limits);
  });
}

/** One parameter for all lines: a statement with thousands of them takes ten times as long to be built and read. */
async function insertLines(db: Kysely<LogTables>, rows: readonly unknown[][]): Promise<void> {
  const json = JSON.stringify(rows);
  await sql`insert into lines (day_id, instance, line) select value ->> 0, value ->> 1, value ->> 2
    from json_each(${json}) order by key`.execute(db);
}

function keyOf({ workload, day }: { workload: string; day: string }): string {
  return `${workload} ${day}`;
}

function daysOf(lines: readonly NewLine[]): Map<string, AddedDay> {
  const days = new Map<string, AddedDay>();
  for (const line of lines) {
    const key = keyOf(line);
    const { cost = 0, lines: count = 0 } = days.get(key) ?? {};
    days.set(key, { workload: line.workload, day: line.day, cost: cost + costOfLine(line), lines: count + 1 });
  }
  return days;
}

/** Nobody else writes meanwhile. */
async function addToDay(db: Kysely<LogTables>, added: AddedDay): Promise<number> {
  const known = await db
    .updateTable("days")
    .set((eb) => ({ cost: eb("cost", "+", added.cost), lines: eb("lines", "+", added.lines) }))
    .where("workload", "=", added.workload)
    .where("day", "=", added.day)
    .returning("id")
    .executeTakeFirst();
  if (known) return known.id;
  const day = await db
    .insertInto("days")
    .values({ ...added, dropped: 0 })
    .returning("id")
    .executeTakeFirstOrThrow();
  return day.id;
}

async function readPage(db: Kysely<LogTables>, page: LogPage): Promise<{ instance: string; line: string }[]> {
  return (await pageQuery(db, page).execute()).toReversed();
}

/**
 * A page of lines, counted from the newest of the day; oldest first inside the page. Of a damaged file, SQLite reports most damage, but not an index that lost entries: a page that is shorter than
 * asked for is compared with the count of the day. Throws a `DamagedLog` instead of showing too little.
 */
export async function readWholePage(
  db: Kysely<LogTables>,
  page: LogPage,
): Promise<{ instance: string; line: string }[]> {
  const lines = await readPage(db, page);
  if (lines.some(({ instance, line }) => typeof instance !== "string" || typeof line !== "string")) {
    throw new DamagedLog("a line of the log isn't text");
  }
  if (lines.length === page.size) return lines;
  // Nothing is written in between.
  return await db.transaction().execute(async (tx) => {
    await ensureWholeDay(tx, page);
    return await readPage(tx, page);
  });
}

async function ensureWholeDay(db: Kysely<LogTables>, { workload, day }: LogPage): Promise<void> {
  // Without the index, which may be what is damaged.
  const { rows } = await sql<{ id: number; lines: number }>`select id, lines from days not indexed
    where workload = ${workload} and day = ${day}`.execute(db);
  const indexed = db
    .selectFrom("days")
    .select("id")
    .where((eb) => eb.and({ workload, day }));
  const ids = await indexed.execute();
  const counted = await db
    .selectFrom("lines")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(
      "day_id",
      "in",
      rows.map(({ id }) => id),
    )
    .executeTakeFirstOrThrow();
  const lines = rows.reduce((sum, row) => sum + row.lines, 0);
  if (ids.length !== rows.length || counted.count !== lines) {
    throw new DamagedLog(`the log has ${counted.count} of ${lines} lines of a day`);
  }
}

/** The file holds other lines than were stored, although SQLite reports nothing. */
export class DamagedLog extends Error {
  override readonly name = "DamagedLog";
}

/** The page in reverse order. Walks the day's index from the end and reads only lines of this page. */
export function pageQuery(db: Kysely<LogTables>, page: LogPage) {
  const dayId = db.selectFrom("days").select("id").where("workload", "=", page.workload).where("day", "=", page.day);
  let query = db.selectFrom("lines").select(["instance", "line"]).where("day_id", "=", dayId);
  if (page.instance !== undefined) query = query.where("instance", "=", page.instance);
  return query.orderBy("id", "desc").limit(page.size).offset(page.from);
}

/** Lines per statement, so removing a large log doesn't block everything else. */
const ROWS_AT_ONCE = 2_000;
/** Free pages (4 KiB each) kept for new lines; the rest is returned to the disk. */
const FREE_PAGES = 256;

/** Removes the lines of workloads and returns the space to the disk. */
export async function removeLines(db: Kysely<LogTables>, workloads: readonly string[]): Promise<void> {
  for (const workload of workloads) {
    const days = await db.selectFrom("days").select("id").where("workload", "=", workload).execute();
    for (const { id } of days) await removeDay(db, id);
    await db.deleteFrom("cursors").where("workload", "=", workload).execute();
  }
  await shrink(db);
}

async function shrink(db: Kysely<LogTables>): Promise<void> {
  for (let free = await pragma(db, "freelist_count"); free > FREE_PAGES; free -= 1) {
    // One page at a time: freeing several needs a statement stepped to its end, which a statement without rows isn't.
    await sql`pragma incremental_vacuum(1)`.execute(db);
    if (free % FREE_PAGES === 0) await nextTurn();
  }
}

/** Each statement counts what it removed: who reads meanwhile finds as many lines as the day says, and no damage. */
async function removeDay(db: Kysely<LogTables>, id: number): Promise<void> {
  const some = db.selectFrom("lines").select("id").where("day_id", "=", id).limit(ROWS_AT_ONCE);
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
    count = await db.transaction().execute(async (tx) => {
      const { numDeletedRows } = await tx.deleteFrom("lines").where("id", "in", some).executeTakeFirstOrThrow();
      const removed = Number(numDeletedRows);
      await tx
        .updateTable("days")
        .set({ lines: sql`lines - ${removed}` })
        .where("id", "=", id)
        .execute();
      return removed;
    });
    await nextTurn();
  }
  await removeInstances(db, id);
  await db.deleteFrom("days").where("id", "=", id).execute();
}

/** The workloads that have lines. */
export async function loggedWorkloads(db: Kysely<LogTables>): Promise<string[]> {
  const rows = await db.selectFrom("days").select("workload").distinct().execute();
  return rows.map(({ workload }) => workload);
}
