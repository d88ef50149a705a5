import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
// Registered before the hooks of the file that imports this, so it runs after them: engines are closed by then.
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder that goes with the tests of this file. */
export function makeDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-engine-"));
  made.push(folder);
  return folder;
}
