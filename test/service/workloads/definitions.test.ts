import { expect, test } from "vitest";
import { readMemory } from "../../../src/service/workloads/definitions.ts";

test.each([
  [512, 512],
  ["512", 512],
  ["512Mi", 512],
])("the memory %j is %i MiB", (memory, mib) => {
  expect(readMemory(memory)).toBe(mib);
});
