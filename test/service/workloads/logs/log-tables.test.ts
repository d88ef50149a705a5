import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import {
  instancesOf,
  createLogTables,
  pragma,
  type LogTables,
} from "../../../../src/service/workloads/logs/log-tables.ts";
import { readWholePage } from "../../../../src/service/workloads/logs/log-store.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { makeDataDir } from "../../engines/process/support/data-dir.ts";

/** The tables as they were before logs were bounded by what they cost. */
async function oldTables() {
  const db = openSqlite<LogTables>(":memory:");
  await sql`create table lines (id integer primary key, workload text not null, day text not null,
    instance text not null, line text not null, bytes integer not null)`.execute(db);
  await sql`create index lines_of_day on lines (workload, day)`.execute(db);
  await sql`create table days (workload text not null, day text not null, bytes integer not null,
    dropped integer not null, primary key (workload, day))`.execute(db);
  return db;
}

test("the logs of an older version are still there", async () => {
  const db = await oldTables();
  await sql`insert into lines (workload, day, instance, line, bytes) values
    ('w', '2026-11-19', 'web-0', 'yesterday', 10), ('w', '2026-11-20', 'web-0', 'today', 6),
    ('other', '2026-11-20', 'web-1', '', 1), ('w', '2026-11-20', 'web-1', 'and now', 8)`.execute(db);

  await createLogTables(db, "logs.sqlite");
  await createLogTables(db, "logs.sqlite");

  expect(await readWholePage(db, { workload: "w", day: "2026-11-20", from: 0, size: 10 })).toEqual([
    { instance: "web-0", line: "today" },
    { instance: "web-1", line: "and now" },
  ]);
  expect(await instancesOf(db, "w")).toEqual(["web-0", "web-1"]);
  expect(await db.selectFrom("days").select(["workload", "day", "cost", "lines"]).orderBy("day").execute()).toEqual([
    { workload: "w", day: "2026-11-19", cost: 62, lines: 1 },
    { workload: "other", day: "2026-11-20", cost: 53, lines: 1 },
    { workload: "w", day: "2026-11-20", cost: 118, lines: 2 },
  ]);
});

test("logs whose first start was cut off give their space back from the next start on", async () => {
  const db = openSqlite<LogTables>(join(makeDataDir(), "logs.sqlite"));
  await createLogTables(db, "logs.sqlite");
  // As the file is when the engine dies between its tables and its last step.
  await sql`pragma auto_vacuum = none`.execute(db);
  await sql`vacuum`.execute(db);

  await createLogTables(db, "logs.sqlite");

  expect(await pragma(db, "auto_vacuum")).toBe(2);
  await db.destroy();
});
