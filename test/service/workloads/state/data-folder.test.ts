import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lockFolder, pathSegment } from "../../../../src/service/workloads/state/data-folder.ts";

test("different names have different folders, also on a case-insensitive file system", () => {
  const names = ["a.b", "a_b", "a b", "A_b", "a/b", "dana", "Dana", ""];

  const folders = new Set(names.map((name) => pathSegment(name).toLowerCase()));

  expect(folders.size).toBe(names.length);
});

test("what others could read of an earlier version's folder is for this user alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "gantry-data-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const logs = join(folder, "logs.sqlite");
  writeFileSync(logs, "");
  chmodSync(logs, 0o644);

  lockFolder(folder)();

  expect(statSync(logs).mode & 0o777).toBe(0o600);
});
