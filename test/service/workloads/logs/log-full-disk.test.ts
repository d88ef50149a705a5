import { sql, type Kysely } from "kysely";
import { describe, expect, test } from "vitest";
import type { LogTables } from "../../../../src/service/workloads/logs/log-tables.ts";
import { until } from "../../engines/process/support/engine-world.ts";
import { openLogs } from "./open-logs.ts";

/** A disk without space for the log, as SQLite knows it. */
async function pages(db: Kysely<LogTables>, count: number): Promise<void> {
  await sql.raw(`pragma max_page_count = ${count}`).execute(db);
}

describe("while the disk is full", () => {
  test("lines are dropped and counted; with space again the log goes on with a note, and no one restarted anything", async () => {
    const { db, logs, read, events } = await openLogs();
    logs.append("w", "web-0", "before");
    await read("2026-11-20");
    await pages(db, 1);
    for (let number = 0; number < 300; number += 1) logs.append("w", "web-0", "x".repeat(200));
    const during = await read("2026-11-20");
    for (let number = 0; number < 12; number += 1) logs.append("w", "web-1", "x".repeat(20_000));
    await read("2026-11-20");
    await pages(db, 1_000_000);
    logs.append("w", "web-0", "after");

    const lines = await read("2026-11-20");

    expect(during).toEqual(["before"]);
    expect(lines).toEqual([
      "before",
      "[gantry] 300 lines were not stored: the disk is full",
      "[gantry] 12 lines were not stored: the disk is full",
      "after",
    ]);
    expect(events).toEqual([
      { message: "can't store log lines", data: { error: expect.objectContaining({ errcode: 13 }) } },
      { message: "storing log lines again", data: { lost: 312 } },
    ]);
  });

  test("the note appears even if the program writes nothing more", async () => {
    const { db, logs, events } = await openLogs();
    await pages(db, 1);
    logs.append("w", "web-0", "x".repeat(20_000));
    await logs.page({ workload: "w", day: "2026-11-20", from: 0, size: 1 });
    await pages(db, 1_000_000);

    await until(() => events.length === 2, "the log to be written again");

    const days = await db.selectFrom("lines").select("line").execute();
    expect(days).toEqual([{ line: "[gantry] 1 line was not stored: the disk is full" }]);
  });

  test("a log that cannot be removed is removed later, and the deletion does not fail", async () => {
    const { db, logs, read, events } = await openLogs();
    logs.append("w", "web-0", "x");
    await read("2026-11-20");
    await sql`create trigger full before delete on lines begin select raise(abort, 'disk I/O error'); end`.execute(db);

    await logs.forget("w");
    const during = await db.selectFrom("lines").selectAll().execute();
    await sql`drop trigger full`.execute(db);
    await read("2026-11-20");

    expect(during).toHaveLength(1);
    expect(events.map(({ message }) => message)).toEqual(["couldn't remove logs of deleted workloads; retrying later"]);
    expect(await db.selectFrom("lines").selectAll().execute()).toEqual([]);
  });
});
