import { expect, test } from "vitest";
import { pathSegment } from "../../../../src/service/workloads/state/data-folder.ts";

test("different names have different folders, also on a case-insensitive file system", () => {
  const names = ["a.b", "a_b", "a b", "A_b", "a/b", "dana", "Dana", ""];

  const folders = new Set(names.map((name) => pathSegment(name).toLowerCase()));

  expect(folders.size).toBe(names.length);
});
