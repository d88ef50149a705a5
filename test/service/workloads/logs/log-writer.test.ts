import { expect, test } from "vitest";
import { pageQuery } from "../../../../src/service/workloads/logs/log-store.ts";
import { dayOf, requestedDay } from "../../../../src/service/workloads/logs/log-writer.ts";
import { openLogs } from "./open-logs.ts";

test("the pages of a log are found through the index of their day: no other line is read", async () => {
  const { db } = await openLogs();
  const query = pageQuery(db, { workload: "w", day: "2026-11-20", from: 5_000, size: 10 }).compile();

  const plan = await db.executeQuery<{ detail: string }>({ ...query, sql: `explain query plan ${query.sql}` });

  const steps = plan.rows.map(({ detail }) => detail).join("\n");
  expect(steps).toContain("SEARCH lines USING INDEX lines_by_day");
  expect(steps).not.toContain("TEMP B-TREE");
});

test.each([
  ["2026.11.21", "2026-11-21"],
  ["2026.1.5", "2026-01-05"],
  [undefined, "2026-11-22"],
])("the date %s asks for the day %s", (date, day) => {
  expect(requestedDay(date, new Date("2026-11-22T23:30:00Z"))).toBe(day);
  expect(dayOf(new Date("2026-11-22T23:30:00Z"))).toBe("2026-11-22");
});
