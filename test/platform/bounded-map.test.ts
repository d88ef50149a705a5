import { expect, test } from "vitest";
import { boundedMap } from "../../src/platform/bounded-map.ts";

test("a full map forgets what was used longest ago, and nothing else", () => {
  const map = boundedMap<string, number>(3);
  for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at);
  expect(map.get("a")).toBe(0);

  map.set("d", 3);

  expect([...map.keys()].toSorted()).toEqual(["a", "c", "d"]);
  map.set("c", 9);
  expect(map.size).toBe(3);
  expect(map.get("c")).toBe(9);
});
