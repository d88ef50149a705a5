import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readRecord, recordPath } from "../../../../src/service/workloads/jobs/run-record.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { childrenOf, engineProcess, killEngines } from "./support/engine-process.ts";
import { openEngine, until, userOf } from "./support/engine-world.ts";

afterEach(killEngines);

const steps = (lines: readonly string[]) => lines.filter((line) => line.startsWith("step"));

/** A host program that runs until the gate is opened, and then exits; with 1 in its first attempts if `failFirst` says so. */
function gated(gate: string, failFirst = 0) {
  const code = `const { existsSync } = require("node:fs");
    setInterval(() => existsSync(${JSON.stringify(gate)}) && process.exit(+(process.env.GANTRY_ATTEMPT <= ${failFirst})), 10);`;
  return { containers: [{ image: "host", command: [process.execPath, "-e", code] }] };
}

/** Runs a job until its program ends while the engine hangs, and kills that engine. */
async function endWhileEngineHangs(dataDir: string, name: string, failFirst: number): Promise<void> {
  const gate = join(dataDir, "gate");
  const doomed = await engineProcess(dataDir);
  await doomed.createJob(name, gated(gate, failFirst));
  // The runner of the host program, and the program.
  await until(async () => (await childrenOf(dataDir)).length === 2, "the job to run");
  process.kill(doomed.pid, "SIGSTOP");
  writeFileSync(gate, "");
  await until(async () => (await childrenOf(dataDir)).length === 0, "the job to exit");
  await doomed.kill();
}

test("a job that completes while the engine hangs, and is then killed, is complete and does not run again", async () => {
  const dataDir = makeDataDir();
  await endWhileEngineHangs(dataDir, "once", 0);

  const next = await openEngine(dataDir, { allowHostCommands: true });

  const dana = userOf(next.engine);
  expect((await dana.readJob("once")).status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
  expect((await dana.jobLogs("once")).join("\n")).not.toContain("runs again");
  await next.close();
});

test("an attempt that failed while the engine hung counts as failed", async () => {
  const dataDir = makeDataDir();
  await endWhileEngineHangs(dataDir, "second", 1);

  const next = await openEngine(dataDir, { allowHostCommands: true });

  const dana = userOf(next.engine);
  await dana.ends("second");
  expect((await dana.readJob("second")).status).toMatchObject({ succeeded: 1, failed: 1 });
  await next.close();
});

test("of a job with two containers, the one that has completed does not run again", async () => {
  const dataDir = makeDataDir();
  const gate = join(dataDir, "gate");
  const first = await openEngine(dataDir, { allowHostCommands: true });
  const before = userOf(first.engine);
  const quick = { image: "gantry/batch", command: ["1", "--delay", "1"] };
  await before.createJob("pair", { containers: [quick, ...gated(gate).containers] });
  const { uid = "" } = (await before.readJob("pair")).metadata;
  const isRecorded = async () => (await readRecord(recordPath(dataDir, uid, 0)))?.state === "ended";
  await until(isRecorded, "the quick one to complete");
  await first.close();
  writeFileSync(gate, "");

  const second = await openEngine(dataDir, { allowHostCommands: true });
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

test("how the last attempt ended is known after a restart of the engine too", async () => {
  const dataDir = makeDataDir();
  const first = await openEngine(dataDir, { jobRetries: 1 });
  const before = userOf(first.engine);
  await before.createJob("broken", {
    containers: [{ image: "gantry/batch", command: ["1", "--delay", "1", "--exit", "3"] }],
  });
  await before.ends("broken");
  const { restart_count, last_state, message } = await before.readJob("broken");
  await first.close();

  const second = await openEngine(dataDir, { jobRetries: 1 });
  const job = await userOf(second.engine).readJob("broken");
  await second.close();

  expect({ restart_count, message }).toEqual({ restart_count: 1, message: "exit code 3 after 2 attempts" });
  expect(last_state).toMatchObject({ reason: "Error", exit_code: 3 });
  expect(job).toMatchObject({ restart_count, last_state, message });
});
