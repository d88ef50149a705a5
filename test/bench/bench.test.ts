import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AckResult } from "./ack.ts";
import { comparison } from "./compare.ts";
import { missed, type Figures } from "./report.ts";
import { exponentOf } from "./rows/growth.ts";
import { missedRows } from "./rows/row-table.ts";
import { atLeastBy, atMost, atMostBy, type Row } from "./rows/row.ts";
import { medianInterval } from "./stats.ts";

const alone = { name: "list", unit: "ms", ours: 2 };
const list = { ...alone, base: 1 };

function figuresOf(...rows: readonly Row[]): Figures {
  return { rows, acks: [], gaps: [], messages: [], views: [], memoryBefore: [], memoryAfter: [] };
}

function fileWith(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "figures.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test("growth is told by its exponent", () => {
  expect(exponentOf([100, 1_000, 10_000].map((size) => [size, 3 * size]))).toBeCloseTo(1);
  expect(exponentOf([100, 1_000, 10_000].map((size) => [size, 7]))).toBeCloseTo(0);
  expect(exponentOf([1_000, 100_000].map((size) => [size, size ** 2]))).toBeCloseTo(2);
});

test("a goal that is missed is told with what was measured", () => {
  const rows = [atMostBy(list, 2.5), atLeastBy({ ...list, unit: "a second" }, 3), atMost({ ...alone, ours: 900 }, 800)];

  expect(missedRows(rows)).toEqual(["list: 2.00 ×, not ≥ 3 × the bare app", "list: 900 ms, not ≤ 800 ms"]);
});

test("a goal is missed only when the rounds leave no doubt", () => {
  const near = [0.9, 1.2, 1.3, 1.4, 1.5, 1.6];
  const far = near.map((value) => value + 0.4);

  expect(missedRows([atMost({ ...alone, ours: near }, 1)])).toEqual([]);
  expect(missedRows([atMost({ ...alone, ours: far }, 1)])).toEqual(["list: 1.75 ms, not ≤ 1 ms"]);
  expect(missedRows([atMostBy({ ...list, ours: far, base: near }, 1.45)])).toEqual([]);
  expect(missedRows([atLeastBy({ ...list, ours: near, base: far }, 0.7)])).toEqual([]);
  expect(missedRows([atLeastBy({ ...list, ours: near, base: far }, 0.85)])).toHaveLength(1);
});

test("an ack is too slow, or answers are too few, only when the rounds leave no doubt", () => {
  const spread = { p50: 1, p90: 1, p99: 1 };
  const sizes = { concurrency: 16, requests: 2_000, rounds: 4, repetitions: 3, commands: 10, answered: 10 };
  const all: AckResult = {
    name: "list",
    subject: "Gantry",
    base: "bare",
    posts: true,
    doubled: 0,
    notOk: 0,
    ...sizes,
    subjectMs: spread,
    baseMs: spread,
    pooledP99Ratio: 1.4,
    most: 1.25,
    least: 0.8,
    p99Ratio: { median: 1.5, low: 1.2, high: 1.6 },
    rate: { median: 0.7, low: 0.6, high: 0.9 },
  };
  const missedOf = (ack: AckResult) => missed({ ...figuresOf(), acks: [ack] });

  expect(missedOf(all)).toEqual([]);
  expect(missedOf({ ...all, p99Ratio: { median: 1.5, low: 1.3, high: 1.6 } })).toEqual([
    "list, concurrency 16: p99 of the ack is 1.40 × the bare app's, not ≤ 1.25",
  ]);
  expect(missedOf({ ...all, rate: { median: 0.7, low: 0.6, high: 0.75 } })).toEqual([
    "list, concurrency 16: 0.70 × the bare app's in a second, not ≥ 0.8",
  ]);
});

test("the median of many rounds is known better than the rounds spread", () => {
  const rounds = Array.from({ length: 20 }, (_, at) => at + 1);

  // As in tables of the sign test.
  expect(medianInterval(rounds)).toEqual({ low: 6, high: 15 });
  expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 });
});

test("a run is compared with an earlier one, beside the bare app where there is one", () => {
  const earlier = { ...figuresOf(atMostBy({ ...list, ours: 6, base: 2 }, 2.5)), at: "2026-11-23T06:00:00Z" };

  const said = comparison(figuresOf(atMostBy(list, 2.5)), fileWith(earlier));

  expect(said).toMatch(/since 2026-11-23T06:00:00Z +then +now +change/u);
  expect(said).toMatch(/list, by its baseline +3\.00 +2\.00 +-33 %/u);
});

test("a file without figures is refused with a sentence", () => {
  expect(() => comparison(figuresOf(), fileWith({}))).toThrow(/holds no figures of this bench; write one with --json/u);
});
