import { expect, test } from "vitest";
import { memoryUpdate } from "../../src/api/log-pages.ts";
import { isUpdateMemory, jobMemory, parseMemoryMiB, serviceMemory, updateMemoryMiB } from "../../src/api/memory.ts";

test.each<[unknown, number | undefined]>([
  [512, 512],
  ["512", 512],
  ["512Mi", 512],
  [" 512Mi ", 512],
  ["1Gi", 1024],
  ["1.5Gi", 1536],
  ["2Ti", 2_097_152],
  ["1024Ki", 1],
  ["512Ki", 0.5],
  ["1048576K", 1000],
  ["0", 0],
  ["", undefined],
  ["Mi", undefined],
  ["-1", undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ["512MB", undefined],
  ["a lot", undefined],
  ["constructor", undefined],
  [null, undefined],
  [{ limits: 1 }, undefined],
])("a memory of %j is %j MiB", (value, mib) => {
  expect(parseMemoryMiB(value)).toBe(mib);
});

test("each operation has its own spelling", () => {
  expect([jobMemory(512), serviceMemory(512)]).toEqual(["512Mi", "512"]);
});

test("an update takes four sizes, those of the specification", () => {
  expect(updateMemoryMiB).toEqual([256, 512, 1024, 2048]);
  expect([256, 300, 2048, undefined].map(isUpdateMemory)).toEqual([true, false, true, false]);
});

test("an update names the container and the key that the settings say", () => {
  expect(memoryUpdate({ resourcesKey: "resources" }, { container: "web", mib: 512 })).toEqual({
    name: "web",
    resources: { limits: { memory: 512 } },
  });
  expect(memoryUpdate({ resourcesKey: "resource" }, { mib: 1024 })).toEqual({ resource: { limits: { memory: 1024 } } });
});
