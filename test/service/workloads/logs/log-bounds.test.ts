import { describe, expect, test } from "vitest";
import { openLogs } from "./open-logs.ts";

describe("the bounds of a log", () => {
  test("over the bytes of a day the oldest lines go, and one line says how many", async () => {
    const { logs, read, events } = await openLogs({ day: { bytes: 15_300, lines: 10_000 } });
    for (let batch = 0; batch < 10; batch += 1) {
      for (let number = 0; number < 50; number += 1)
        logs.append("w", "web-0", `line ${batch * 50 + number} `.padEnd(100, "."));
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
    expect(events).toEqual([]);
  });

  test.each([
    ["bytes, although they have no text", { bytes: 53_000, lines: 1_000_000 }],
    ["lines", { bytes: 1_000_000_000, lines: 1_000 }],
  ])("empty lines are bounded by their %s", async (_, day) => {
    const { logs, read } = await openLogs({ day });
    for (let batch = 0; batch < 20; batch += 1) {
      for (let number = 0; number < 500; number += 1) logs.append("w", "web-0", "");
      await read("2026-11-20", 0, 1);
    }

    const lines = await read("2026-11-20", 0, 20_000);

    expect(lines.length).toBeGreaterThan(500);
    expect(lines.length).toBeLessThanOrEqual(1_000);
    expect(lines[0]).toMatch(/the first \d+ lines of this day were dropped/);
  });

  test("a bad day leaves the days before it, until the workload has too much in all: then the oldest day goes", async () => {
    const { logs, clock, read } = await openLogs({
      day: { bytes: 1_000_000, lines: 100 },
      workload: { bytes: 1_000_000, lines: 250 },
    });
    for (const day of ["2026-11-20", "2026-11-21", "2026-11-22"]) {
      clock.now = new Date(`${day}T12:00:00Z`);
      for (let number = 1; number <= 100; number += 1) logs.append("w", "web-0", `${day} line ${number}`);
      await read(day);
    }

    const [first, second, third] = [await read("2026-11-20"), await read("2026-11-21"), await read("2026-11-22")];

    expect(first[0]).toMatch(/the first \d+ lines of this day were dropped/);
    expect(first.at(-1)).toBe("2026-11-20 line 100");
    expect(first.length).toBeLessThanOrEqual(50);
    expect(second).toHaveLength(100);
    expect(third).toHaveLength(100);
  });

  test("when all logs together are too much, the largest one makes room", async () => {
    const { logs, read } = await openLogs({ total: { bytes: 1_000_000, lines: 300 } });
    for (let number = 1; number <= 20; number += 1) logs.append("quiet", "web-0", `line ${number}`);
    await read("2026-11-20");
    for (let batch = 0; batch < 10; batch += 1) {
      for (let number = 0; number < 100; number += 1) logs.append("w", "web-0", "noise");
      await read("2026-11-20");
    }

    const [quiet, noisy] = [
      await logs.page({ workload: "quiet", day: "2026-11-20", from: 0, size: 1_000 }),
      await read("2026-11-20", 0, 1_000),
    ];

    expect(quiet).toHaveLength(20);
    expect(noisy.length).toBeGreaterThan(200);
    expect(noisy.length).toBeLessThanOrEqual(280);
  });

  test("a clock that jumps years ahead and back deletes nothing", async () => {
    const { logs, clock, read } = await openLogs();
    for (const day of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
      clock.now = new Date(`${day}T12:00:00Z`);
      logs.append("w", "web-0", `said on ${day}`);
      await read(day);
    }
    for (const wrong of ["2036-01-01", "1970-01-01", "2099-12-31"]) {
      clock.now = new Date(`${wrong}T00:00:00Z`);
      logs.append("w", "web-0", "said while the clock was wrong");
      await read(wrong);
    }
    clock.now = new Date("2026-11-20T13:00:00Z");
    logs.append("w", "web-0", "and later");

    expect(await read("2026-11-18")).toEqual(["said on 2026-11-18"]);
    expect(await read("2026-11-19")).toEqual(["said on 2026-11-19"]);
    expect(await read("2026-11-20")).toEqual(["said on 2026-11-20", "and later"]);
  });

  test("only as many days as configured are kept, the newest ones", async () => {
    const { logs, clock, read } = await openLogs({ days: 2 });
    const days = ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"];
    for (const day of days) {
      clock.now = new Date(`${day}T10:00:00Z`);
      logs.append("w", "web-0", day);
      await read(day);
    }

    expect(await Promise.all(days.map((day) => read(day)))).toEqual([[], [], ["2026-11-19"], ["2026-11-20"]]);
  });

  test("the log of a deleted workload is gone, with what it still says", async () => {
    const { logs, read } = await openLogs();
    logs.append("w", "web-0", "before");
    await logs.forget("w");
    logs.append("w", "web-0", "after");

    expect(await read("2026-11-20")).toEqual([]);
  });

  test("logs of workloads that are no more are removed at the start", async () => {
    const { logs, read } = await openLogs();
    logs.append("w", "web-0", "stays");
    logs.append("gone", "web-0", "of a workload that was deleted while the engine died");
    await read("2026-11-20");

    await logs.keepOnly(["w"]);

    expect(await read("2026-11-20")).toEqual(["stays"]);
    expect(await logs.page({ workload: "gone", day: "2026-11-20", from: 0, size: 100 })).toEqual([]);
  });
});
