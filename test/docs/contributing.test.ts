import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const map = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

test("every path of src and test that CONTRIBUTING.md names exists", () => {
  const paths = [...map.matchAll(/`((?:src|test)\/[^`\s]*)`/gu)].map(([, path = ""]) => path);

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
