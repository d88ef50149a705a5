import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type { UnitLabels } from "../runtime.ts";
import { keepBounds, type LogLimits } from "./log-bounds.ts";
import { costOfLine, pragma, type LogTables } from "./log-tables.ts";

export type NewLine = {
  readonly workload: string;
  readonly day: string;
  readonly instance: string;
  readonly line: string;
  /** The position of this line in the output of a container, for runtimes that can resume there. */
  readonly read?: { readonly container: number; readonly cursor: string };
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

type AddedDay = { readonly workload: string; readonly day: string; readonly cost: number; readonly lines: number };

/** Writes lines and their cursors and drops the oldest lines over a limit, in one transaction. */
export async function writeLines(db: Kysely<LogTables>, lines: readonly NewLine[], limits: LogLimits): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const added = new Map<string, { dayId: number; workload: string }>();
    for (const [key, day] of daysOf(lines)) added.set(key, { dayId: await addToDay(tx, day), workload: day.workload });
    const rows = lines.map((line) => [added.get(keyOf(line))?.dayId, line.instance, line.line]);
    // One parameter for all lines: a statement with thousands of them takes ten times as long to be built and read.
    await sql`insert into lines (day_id, instance, line) select value ->> 0, value ->> 1, value ->> 2
      from json_each(${JSON.stringify(rows)}) order by key`.execute(tx);
    await writeCursors(tx, lines);
    await keepBounds(tx, [...added.values()], limits);
  });
}

/** One row per container of an instance, so that the table stays small however often they are started. */
async function writeCursors(db: Kysely<LogTables>, lines: readonly NewLine[]): Promise<void> {
  const last = new Map<string, LogTables["cursors"]>();
  for (const { workload, instance, read } of lines) {
    if (read) last.set(JSON.stringify([workload, instance, read.container]), { workload, instance, ...read });
  }
  for (const row of last.values()) {
    await db
      .insertInto("cursors")
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(["workload", "instance", "container"]).doUpdateSet({ cursor: row.cursor }),
      )
      .execute();
  }
}

/** The cursor of the last stored line of a unit. */
export async function readCursor(db: Kysely<LogTables>, unit: UnitLabels): Promise<string | undefined> {
  const row = await db
    .selectFrom("cursors")
    .select("cursor")
    .where("workload", "=", unit.workload)
    .where("instance", "=", unit.instance)
    .where("container", "=", unit.container)
    .executeTakeFirst();
  return row?.cursor;
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

async function addToDay(db: Kysely<LogTables>, added: AddedDay): Promise<number> {
  const { id } = await db
    .insertInto("days")
    .values({ ...added, dropped: 0 })
    .onConflict((conflict) =>
      conflict.columns(["workload", "day"]).doUpdateSet((eb) => ({
        cost: eb("days.cost", "+", added.cost),
        lines: eb("days.lines", "+", added.lines),
      })),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** A page of lines, counted from the newest of the day; oldest first inside the page. */
export async function readPage(db: Kysely<LogTables>, page: LogPage): Promise<{ instance: string; line: string }[]> {
  return (await pageQuery(db, page).execute()).toReversed();
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

async function removeDay(db: Kysely<LogTables>, id: number): Promise<void> {
  const some = db.selectFrom("lines").select("id").where("day_id", "=", id).limit(ROWS_AT_ONCE);
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
    const { numDeletedRows } = await db.deleteFrom("lines").where("id", "in", some).executeTakeFirstOrThrow();
    count = Number(numDeletedRows);
    await nextTurn();
  }
  await db.deleteFrom("days").where("id", "=", id).execute();
}

/** The workloads that have lines. */
export async function loggedWorkloads(db: Kysely<LogTables>): Promise<string[]> {
  const rows = await db.selectFrom("days").select("workload").distinct().execute();
  return rows.map(({ workload }) => workload);
}
