import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { comparison } from "./compare.ts";
import { missedRows } from "./row-table.ts";
import { atLeastBy, atMost, atMostBy } from "./row.ts";
import { medianInterval } from "./stats.ts";

const alone = { name: "list", unit: "ms", ours: 2 };
const list = { ...alone, base: 1 };

function fileWith(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bench-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "figures.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

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

test("the median of many rounds is known better than the rounds spread", () => {
  const rounds = Array.from({ length: 20 }, (_, at) => at + 1);

  // As in tables of the sign test.
  expect(medianInterval(rounds)).toEqual({ low: 6, high: 15 });
  expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 });
});

test("a run is compared with an earlier one, beside the bare app where there is one", () => {
  const earlier = { rows: [atMostBy({ ...list, ours: 6, base: 2 }, 2.5)], at: "2026-11-23T06:00:00Z" };

  const said = comparison([atMostBy(list, 2.5)], fileWith(earlier));

  expect(said).toMatch(/since 2026-11-23T06:00:00Z +then +now +change/u);
  expect(said).toMatch(/list, by its baseline +3\.00 +2\.00 +-33 %/u);
});

test("a file without figures is refused with a sentence", () => {
  expect(() => comparison([], fileWith({}))).toThrow(/holds no figures of this bench; write one with --json/u);
});
