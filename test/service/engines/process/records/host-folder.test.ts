import { relative } from "node:path";
import { expect, test } from "vitest";
import { jobVolume, segment, serviceDisk } from "../../../../../src/service/engines/process/records/host-folder.ts";

test.each(["..", ".", "", "a/../../b", "/etc", "a\0b", "con sole", "x".repeat(300), "Dana", "données"])(
  "the name %j never leads out of its folder",
  (name) => {
    const paths = [
      relative("/data", jobVolume("/data", name, name)),
      relative("/data", serviceDisk("/data", { username: name, region: name }, name)),
    ];

    for (const path of paths) {
      expect(path).not.toContain("..");
      expect(path).toMatch(/^(volumes\/[\w.-]{1,60}\/[\w.-]{1,60}|disks(\/[\w.-]{1,60}){3})$/);
    }
  },
);

test("different names have different folders, also where upper and lower case are one", () => {
  const names = ["a.b", "a_b", "a b", "A_b", "a/b", "dana", "Dana", ""];

  const folders = new Set(names.map((name) => segment(name).toLowerCase()));

  expect(folders.size).toBe(names.length);
});
