import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeDataDir } from "./support/data-dir.ts";
import { childrenOf, engineProcess, killEngines } from "./support/engine-process.ts";
import { openEngine, until, userOf } from "./support/engine-world.ts";

afterEach(killEngines);

const steps = (lines: readonly string[]) => lines.filter((line) => line.startsWith("step"));

test("a job that completes while the engine hangs, and is then killed, is complete and does not run again", async () => {
  const dataDir = makeDataDir();
  const doomed = await engineProcess(dataDir);
  await doomed.createJob("once", { containers: [{ image: "gantry/batch", command: ["3", "--delay", "300"] }] });
  await until(async () => (await childrenOf(dataDir)).length > 0, "the job to run");
  process.kill(doomed.pid, "SIGSTOP");
  await until(async () => (await childrenOf(dataDir)).length === 0, "the job to exit");
  await doomed.kill();

  const next = await openEngine(dataDir);

  const dana = userOf(next.engine);
  expect((await dana.readJob("once")).status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
  expect((await dana.jobLogs("once")).join("\n")).not.toContain("runs again");
  await next.close();
});

test("an attempt that failed while the engine hung counts as failed", async () => {
  const dataDir = makeDataDir();
  const doomed = await engineProcess(dataDir);
  const command = ["1", "--delay", "500", "--fail-first", "1"];
  await doomed.createJob("second", { containers: [{ image: "gantry/batch", command }] });
  await until(async () => (await childrenOf(dataDir)).length > 0, "the job to run");
  process.kill(doomed.pid, "SIGSTOP");
  await until(async () => (await childrenOf(dataDir)).length === 0, "the job to exit");
  await doomed.kill();

  const next = await openEngine(dataDir);

  const dana = userOf(next.engine);
  await dana.ends("second");
  expect((await dana.readJob("second")).status).toMatchObject({ succeeded: 1, failed: 1 });
  await next.close();
});

test("of a job with two containers, the one that has completed does not run again", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);
  const before = userOf(first.engine);
  const quick = { image: "gantry/batch", command: ["1", "--delay", "1"] };
  const slow = { image: "gantry/batch", command: ["2", "--delay", "1500"] };
  await before.createJob("pair", { containers: [quick, slow] });
  await until(async () => (await before.jobLogs("pair")).includes("done, exit 0"), "the quick one to complete");
  await until(async () => (await childrenOf(dataDir)).length === 1, "it to exit");
  await first.close();

  const second = await openEngine(dataDir);
  const after = userOf(second.engine);
  await after.ends("pair");

  expect(steps(await after.jobLogs("pair")).filter((line) => line === "step 1 of 1")).toHaveLength(1);
  expect((await after.readJob("pair")).status).toMatchObject({ succeeded: 1 });
  await second.close();
});

test("a run whose record is missing may have completed: it is reported as lost and not run again", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir);
  const before = userOf(first.engine);
  await before.createJob("lost", { containers: [{ image: "gantry/batch", command: ["1000", "--delay", "50"] }] });
  await until(async () => steps(await before.jobLogs("lost")).length > 0, "the job to run");
  await first.close();
  rmSync(join(dataDir, "runs"), { recursive: true });

  const second = await openEngine(dataDir);
  const after = userOf(second.engine);

  expect((await after.readJob("lost")).status?.conditions).toMatchObject([{ type: "Failed", reason: "RunLost" }]);
  expect(await childrenOf(dataDir)).toEqual([]);
  await second.close();
  const third = await openEngine(dataDir);
  expect((await userOf(third.engine).readJob("lost")).status?.conditions).toMatchObject([{ reason: "RunLost" }]);
  await third.close();
});
