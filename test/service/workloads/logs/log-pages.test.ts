import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openLogs } from "./open-logs.ts";

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

  test("name the instances that wrote them, in the order of their first lines, until the log is removed", async () => {
    const { logs, clock } = await openLogs({ days: 2 });
    const days = ["2026-11-20", "2026-11-21", "2026-11-22"];
    for (const [at, day] of days.entries()) {
      clock.now = new Date(`${day}T12:00:00Z`);
      for (const instance of [`run-${at}`, "steady", `run-${at}`]) logs.append("w", instance, "line");
      await logs.instances("w");
    }
    logs.append("other", "web-1", "somebody else's");

    const kept = await logs.instances("w");
    const has = [await logs.hasInstance("w", "run-1"), await logs.hasInstance("w", "run-0")];
    await logs.forget("w");

    expect(kept).toEqual(["run-1", "steady", "run-2"]);
    expect(has).toEqual([true, false]);
    expect(await logs.instances("w")).toEqual([]);
    expect(await logs.instances("other")).toEqual(["web-1"]);
  });

  test("can be read while they are removed, and nothing looks damaged", async () => {
    const { logs, read, events } = await openLogs();
    for (let number = 0; number < 5_000; number += 1) logs.append("w", "web-0", "line");
    await logs.flush();

    const removal = { isOver: false };
    const removed = logs.forget("w").finally(() => (removal.isOver = true));
    const counts: number[] = [];
    while (!removal.isOver) {
      counts.push((await read("2026-11-20", 0, 10_000)).length);
      await nextTurn();
    }
    await removed;

    expect(counts.length).toBeGreaterThan(0);
    expect(await read("2026-11-20")).toEqual([]);
    expect(events).toEqual([]);
  });

  test("of very many instances name the newest hundred", async () => {
    const { logs } = await openLogs();
    for (let number = 1; number <= 250; number += 1) logs.append("w", `web-${number}`, "line");

    const named = await logs.instances("w");

    expect(named).toHaveLength(100);
    expect([named[0], named.at(-1)]).toEqual(["web-151", "web-250"]);
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
