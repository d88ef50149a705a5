import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machineClock } from "../../../../src/platform/clock.ts";
import { Refusal } from "../../../../src/service/engine.ts";
import { openLogStore } from "../../../../src/service/workloads/logs/log-writer.ts";

const PAGE_BYTES = 4096;
const DAY = "2026-11-20";
const LINES = 400;

/** A closed log file with the lines of two workloads. */
async function writtenFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-damaged-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "logs.sqlite");
  const logs = await openLogStore(path, options);
  for (let line = 0; line < LINES; line += 1) {
    logs.append("w", "web-0", `line ${line} ${"x".repeat(100)}`);
    logs.append("other", "api-0", `line ${line}`);
  }
  await logs.close();
  return path;
}

const options = { clock: { ...machineClock, now: () => new Date(`${DAY}T12:00:00Z`) }, onEvent: () => undefined };

/** All lines of `w`, or the refusal. */
async function readAll(path: string): Promise<string[] | Refusal> {
  const logs = await openLogStore(path, options);
  try {
    return (await logs.page({ workload: "w", day: DAY, from: 0, size: 1_000 })).map(({ line }) => line);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  } finally {
    await logs.close();
  }
}

test.each<[string, (page: Buffer) => void]>([
  ["zeros", (page) => void page.fill(0)],
  ["other bytes", (page) => void page.fill(0xa5)],
  ["zeros in its second half", (page) => void page.fill(0, PAGE_BYTES / 2)],
  ["an empty page of the same kind", (page) => void page.fill(0, 3, 8)],
])("a log file with a page of %s is read whole or not at all, and says that it is damaged", async (_, damage) => {
  const path = await writtenFile();
  const whole = await readAll(path);
  const file = readFileSync(path);
  expect(whole).toHaveLength(LINES);
  const refused: number[] = [];

  for (let page = 1; page < file.length / PAGE_BYTES; page += 1) {
    const damaged = Buffer.from(file);
    damage(damaged.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
    writeFileSync(path, damaged);
    const read = await readAll(path);
    if (read instanceof Refusal) {
      expect([read.status, read.message]).toEqual([503, expect.stringContaining("logs.sqlite is damaged")]);
      refused.push(page);
    } else {
      expect(read).toHaveLength(LINES);
    }
  }

  expect(refused.length).toBeGreaterThan(3);
});
