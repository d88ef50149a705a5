import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolder } from "../../src/platform/make-folder.ts";

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a folder is made with its parents, for this user alone, and one that is there stays as it is", () => {
  const folder = join(freshFolder(), "a", "b");

  makeFolder(folder, { mode: 0o700 });
  writeFileSync(join(folder, "kept"), "");
  chmodSync(folder, 0o755);
  makeFolder(folder, { mode: 0o700 });

  expect(statSync(join(folder, "..")).mode & 0o777).toBe(0o700);
  expect(statSync(folder).mode & 0o777).toBe(0o755);
  expect(statSync(join(folder, "kept")).isFile()).toBe(true);
});

test("a file in the way is an error that names it", () => {
  const file = join(freshFolder(), "file");
  writeFileSync(file, "");

  expect(() => makeFolder(file)).toThrow(/EEXIST.*file/u);
  expect(() => makeFolder(join(file, "below"))).toThrow(/ENOTDIR.*below/u);
});

// Node's own recursive mkdir would not come back here.
test.runIf(process.platform === "linux")("a file system that makes no folders is an error, and no endless try", () => {
  expect(() => makeFolder("/proc/gantry")).toThrow(/ENOENT.*\/proc\/gantry'/u);
  expect(() => makeFolder("/proc/gantry/data")).toThrow(/ENOENT.*\/proc\/gantry'/u);
});
