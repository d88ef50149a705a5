import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifecycle } from "../../src/bot/workflow/lifecycle.ts";

const root = join(import.meta.dirname, "../..");
const map = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

test("every path of src and test that CONTRIBUTING.md names exists", () => {
  const paths = [...map.matchAll(/`((?:src|test)\/[^`\s]*)`/gu)].map(([, path = ""]) => path);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("its diagram has exactly the steps of the lifecycle", () => {
  const drawn = [...map.matchAll(/^ {2}(\w+) --> (\w+): (\w+)$/gmu)].map(
    ([, from, to, name]) => `${from} → ${to}: ${name}`,
  );

  const rows = Object.entries(lifecycle).flatMap(([name, { from, to }]) =>
    from.map((state) => `${state} → ${to}: ${name}`),
  );
  expect(drawn.toSorted()).toEqual(rows.toSorted());
});
