import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("in a simulated quarter of a day each failure of 500 services is told once, and a storm of all of them is one message", async () => {
  const program = join(import.meta.dirname, "watch.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "--accounts", "5", "--days", "0.25"]);

  expect(stdout).toMatch(/^incidents +(\d+) of \1; told \1, missed 0$/mu);
  expect(stdout).toMatch(/^told twice +0$/mu);
  expect(stdout).toMatch(/^storm of 500.* 500 told after \d+ s in 1 messages$/mu);
});
