import { describe, expect, test } from "vitest";
import { openSqlite } from "../../../src/sqlite.ts";
import { createLogTables, type LogTables } from "../../../src/server/process/log-store.ts";
import { dayOf, openLogWriter, requestedDay } from "../../../src/server/process/log-writer.ts";

async function openLogs(limits = { bytesPerDay: 1_000_000, days: 7 }) {
  const db = openSqlite<LogTables>(":memory:");
  await createLogTables(db);
  const clock = { now: new Date("2026-11-20T23:59:00Z") };
  const errors: unknown[] = [];
  const logs = openLogWriter(db, { limits, now: () => clock.now, onError: (error) => errors.push(error) });
  const read = async (day: string, from = 0, size = 100) =>
    (await logs.page({ workload: "w", day, from, size })).map(({ line }) => line);
  return { logs, clock, read, errors };
}

describe("the pages of a log", () => {
  test("are counted from the newest line, and oldest first inside", async () => {
    const { logs, read } = await openLogs();
    for (let number = 1; number <= 25; number += 1) logs.append("w", "web-0", `line ${number}`);

    const newest = await read("2026-11-20", 0, 3);
    const next = await read("2026-11-20", 3, 3);
    const last = await read("2026-11-20", 24, 3);
    const beyond = await read("2026-11-20", 25, 3);

    expect(newest).toEqual(["line 23", "line 24", "line 25"]);
    expect(next).toEqual(["line 20", "line 21", "line 22"]);
    expect(last).toEqual(["line 1"]);
    expect(beyond).toEqual([]);
  });

  test("belong to the day in UTC on which a line came", async () => {
    const { logs, clock, read } = await openLogs();
    logs.append("w", "web-0", "before midnight");
    clock.now = new Date("2026-11-21T00:00:01Z");
    logs.append("w", "web-0", "after midnight");

    expect(await read("2026-11-20")).toEqual(["before midnight"]);
    expect(await read("2026-11-21")).toEqual(["after midnight"]);
    expect(await read("2026-11-19")).toEqual([]);
  });

  test("can be those of one instance", async () => {
    const { logs } = await openLogs();
    logs.append("w", "web-0", "zero");
    logs.append("w", "web-1", "one");
    logs.append("other", "web-1", "somebody else's");

    const page = await logs.page({ workload: "w", instance: "web-1", day: "2026-11-20", from: 0, size: 10 });

    expect(page).toEqual([{ instance: "web-1", line: "one" }]);
  });
});

describe("the bounds of a log", () => {
  test("over the bytes of a day the oldest lines go, and one line says how many", async () => {
    const { logs, read, errors } = await openLogs({ bytesPerDay: 10_000, days: 7 });
    for (let batch = 0; batch < 10; batch += 1) {
      for (let number = 0; number < 50; number += 1)
        logs.append("w", "web-0", `line ${batch * 50 + number} `.padEnd(99, "."));
      await read("2026-11-20", 0, 1);
    }

    const lines = await read("2026-11-20", 0, 1_000);

    const [marker = "", ...kept] = lines;
    const dropped = Number(/the first (\d+) lines of this day were dropped/.exec(marker)?.[1]);
    expect(dropped + kept.length).toBe(500);
    expect(kept[0]).toContain(`line ${dropped} `);
    expect(kept.at(-1)).toContain("line 499 ");
    expect(kept.length).toBeGreaterThan(80);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(errors).toEqual([]);
  });

  test("a day is removed when it is older than the days that are kept", async () => {
    const { logs, clock, read } = await openLogs({ bytesPerDay: 10_000, days: 2 });
    logs.append("w", "web-0", "first day");
    await read("2026-11-20");
    clock.now = new Date("2026-11-21T12:00:00Z");
    logs.append("w", "web-0", "second day");
    const onSecondDay = await read("2026-11-20");
    clock.now = new Date("2026-11-22T12:00:00Z");

    const onThirdDay = await read("2026-11-20");

    expect(onSecondDay).toEqual(["first day"]);
    expect(onThirdDay).toEqual([]);
    expect(await read("2026-11-21")).toEqual(["second day"]);
  });

  test("the log of a deleted workload is gone, with what it still says", async () => {
    const { logs, read } = await openLogs();
    logs.append("w", "web-0", "before");
    await logs.forget("w");
    logs.append("w", "web-0", "after");

    expect(await read("2026-11-20")).toEqual([]);
  });
});

test.each([
  ["2026.11.21", "2026-11-21"],
  ["2026.1.5", "2026-01-05"],
  [undefined, "2026-11-22"],
])("the date %s asks for the day %s", (date, day) => {
  expect(requestedDay(date, new Date("2026-11-22T23:30:00Z"))).toBe(day);
  expect(dayOf(new Date("2026-11-22T23:30:00Z"))).toBe("2026-11-22");
});
