import { machineClock } from "../../../../src/platform/clock.ts";
import type { LogLimits } from "../../../../src/service/workloads/logs/log-bounds.ts";
import { createLogTables, type LogTables } from "../../../../src/service/workloads/logs/log-tables.ts";
import { openLogWriter } from "../../../../src/service/workloads/logs/log-writer.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";

const much = { bytes: 1_000_000, lines: 10_000 };

/** A log in memory, with a clock to set. `day`, `workload` and `total` have room for a lot when they are left out. */
export async function openLogs(limits: Partial<LogLimits> = {}) {
  const db = openSqlite<LogTables>(":memory:");
  await createLogTables(db, "logs.sqlite");
  const clock = { now: new Date("2026-11-20T23:59:00Z") };
  const events: { message: string; data: object }[] = [];
  const logs = openLogWriter(db, {
    limits: { day: much, workload: much, total: much, days: 1_000, ...limits },
    clock: { ...machineClock, now: () => clock.now },
    onEvent: (message, data) => events.push({ message, data }),
  });
  const read = async (day: string, from = 0, size = 100) =>
    (await logs.page({ workload: "w", day, from, size })).map(({ line }) => line);
  return { db, logs, clock, read, events };
}
