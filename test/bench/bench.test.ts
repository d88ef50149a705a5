import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { comparison } from "./compare.ts";
import type { Figures } from "./report.ts";
import { exponentOf } from "./rows/growth.ts";
import { missedRows } from "./rows/row-table.ts";
import { atLeastBy, atMost, atMostBy, type Row } from "./rows/row.ts";

const list = { name: "list", unit: "ms", ours: 2, base: 1 };

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
  const rows = [atMostBy(list, 2.5), atLeastBy({ ...list, unit: "a second" }, 3), atMost({ ...list, ours: 900 }, 800)];

  expect(missedRows(rows)).toEqual(["list: 2.00 a second, not ≥ 3 × the bare app", "list: 900 ms, not ≤ 800 ms"]);
});

test("a run is compared with an earlier one, beside the bare app where there is one", () => {
  const earlier = { ...figuresOf(atMostBy({ ...list, ours: 6, base: 2 }, 2.5)), at: "2026-11-23T06:00:00Z" };

  const said = comparison(figuresOf(atMostBy(list, 2.5)), fileWith(earlier));

  expect(said).toMatch(/since 2026-11-23T06:00:00Z +then +now +change/u);
  expect(said).toMatch(/list, by the bare app's +3\.00 +2\.00 +-33 %/u);
});

test("a file without figures is refused with a sentence", () => {
  expect(() => comparison(figuresOf(), fileWith({}))).toThrow(/holds no figures of this bench; write one with --json/u);
});
