import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { LogTables } from "../../../../src/service/workloads/logs/log-tables.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, until, userOf } from "./support/engine-world.ts";
import { onlyInFullRuns } from "../../../support/full-run.ts";

// Programs that write as fast as they can leave nothing for other tests.
onlyInFullRuns();

const KIB = 1024;
const bound = { bytes: 512 * KIB, lines: 100_000 };
const dataDir = makeDataDir();
const { engine, close } = await openEngine(dataDir, {
  allowHostCommands: true,
  logLimits: { day: bound, workload: bound, total: bound, days: 90 },
});
afterAll(() => close());
const dana = userOf(engine);

/** Writes nothing but line ends, as fast as it may, and keeps how many it has got rid of in its working folder. */
const emptyLines = `const { writeSync, openSync } = require("fs");
  const count = openSync("written", "w");
  const lines = Buffer.alloc(65536, 10);
  for (let written = 0; ; writeSync(count, String(written), 0)) written += writeSync(1, lines);`;

function logBytes(): number {
  const files = readdirSync(dataDir).filter((name) => name.startsWith("logs.sqlite"));
  return files.reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
}

/** How many lines have come to the log, with those that were dropped again. */
async function arrived(): Promise<number> {
  const logs = openSqlite<LogTables>(join(dataDir, "logs.sqlite"));
  const days = await logs.selectFrom("days").select(["lines", "dropped"]).execute();
  await logs.destroy();
  return days.reduce((sum, day) => sum + day.lines + day.dropped, 0);
}

test("a program that writes empty lines without end stays within its bound on disk, and is stopped by its pipe", async () => {
  await dana.create("flood", { containers: [{ image: "host", command: [process.execPath, "-e", emptyLines] }] });

  const lines = await until(async () => {
    const count = await arrived();
    return count > 25_000 && count;
  }, "many lines");

  const { uid = "" } = await dana.read("flood");
  const written = Number(readFileSync(join(dataDir, "work", uid, "written"), "utf8"));
  // The write-ahead log has at most 1 MiB and one batch. Without counting rows, these lines took 4 MB.
  expect(logBytes()).toBeLessThan(bound.bytes * 2 + 1_200 * KIB);
  // What is under way: the pipe, the buffer of its reader, the chunk that is cut into lines, and what is read meanwhile.
  expect(written - lines).toBeLessThan(1_000 * KIB);
  await dana.remove("flood");
});
