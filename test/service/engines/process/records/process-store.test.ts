import { relative } from "node:path";
import { expect, test } from "vitest";
import { volumeFolder } from "../../../../../src/service/engines/process/records/processes.ts";

test.each(["..", ".", "", "a/../../b", "/etc", "a\0b", "con sole", "x".repeat(300), "Dana", "données"])(
  "the name %j never leads out of its folder",
  (name) => {
    const paths = [
      relative("/data", volumeFolder("/data", { kind: "volume", username: name, name })),
      relative("/data", volumeFolder("/data", { kind: "disk", username: name, region: name, name })),
    ];

    for (const path of paths) {
      expect(path).not.toContain("..");
      expect(path).toMatch(/^(volumes\/[\w.-]{1,60}\/[\w.-]{1,60}|disks(\/[\w.-]{1,60}){3})$/);
    }
  },
);
