import { execFileSync } from "node:child_process";
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Kysely, KyselyPlugin } from "kysely";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { StateTables } from "../../../../src/service/workloads/state/store.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { engineProcess, killEngines } from "./support/engine-process.ts";
import { openEngine, roomy, until, userOf } from "./support/engine-world.ts";

afterEach(killEngines);

const worker = { containers: [{ image: "gantry/worker" }] };
const job = { containers: [{ image: "gantry/batch", command: ["2", "--delay", "20"] }] };
const full = "The disk of the workload API is full. Nothing was changed. Free some space and try again.";

/** A state file whose writes fail as on a full disk while the switch is on. `fails` picks the statements. */
function disk() {
  const state = { isFull: false, fails: (_kind: string): boolean => true };
  const writes = ["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (state.isFull && writes.includes(node.kind) && state.fails(node.kind)) {
        throw Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
      }
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const openState = (path: string): Kysely<StateTables> => openSqlite<StateTables>(path).withPlugin(plugin);
  return { state, openState };
}

describe("while the disk is full", () => {
  test("a change is a 503 that says so, nothing is changed, and it works when there is space again", async () => {
    const { state, openState } = disk();
    const { engine, close } = await openEngine(makeDataDir(), { openState, quotas: { ...roomy, userInstances: 4 } });
    const dana = userOf(engine);
    await dana.create("web", worker);
    await dana.reaches("web", "Running");

    state.isFull = true;
    const changes = [
      () => dana.create("next", { ...worker, target_instance_size: 3 }),
      () => dana.createJob("job", job),
      () => dana.update("web", { target_instance_size: 4 }),
      () => dana.stop("web"),
      () => dana.remove("web"),
    ];
    for (const change of changes) await expect(change()).rejects.toMatchObject({ status: 503, message: full });
    expect((await dana.list()).services).toMatchObject([{ name: "web", status: "Running", target_instance_size: 1 }]);
    expect((await dana.listJobs()).jobs).toEqual([]);

    state.isFull = false;
    await dana.create("next", { ...worker, target_instance_size: 3 });
    await dana.remove("web");
    await close();
  });

  test("an accepted deletion says that it waits for space, and finishes once there is", async () => {
    const { state, openState } = disk();
    const { engine, close } = await openEngine(makeDataDir(), { openState });
    const dana = userOf(engine);
    await dana.create("web", worker);
    await dana.reaches("web", "Running");
    state.isFull = true;
    state.fails = (kind) => kind === "DeleteQueryNode";

    const waits =
      "The disk of the workload API is full. web is stopped, and will be deleted when there is space again.";
    await expect(dana.remove("web")).rejects.toMatchObject({ status: 503, message: waits });
    await expect(dana.remove("web")).rejects.toMatchObject({ status: 503, message: waits });
    expect(await dana.read("web")).toMatchObject({ status: "Deleting" });

    state.isFull = false;
    await until(async () => (await dana.list()).services.length === 0, "the service to be gone");
    await dana.create("web", worker);
    await close();
  });

  test("a job that ends is over immediately, saved later, and not run again after a restart", async () => {
    const dataDir = makeDataDir();
    const { state, openState } = disk();
    const first = await openEngine(dataDir, { openState });
    const before = userOf(first.engine);
    await before.createJob("once", job);
    await until(async () => (await before.jobLogs("once")).length > 0, "the job to run");
    state.isFull = true;
    await before.ends("once");
    expect((await before.readJob("once")).status).toMatchObject({ succeeded: 1 });
    await first.close();

    const second = await openEngine(dataDir);
    const after = userOf(second.engine);

    expect((await after.readJob("once")).status).toMatchObject({ succeeded: 1 });
    expect((await after.jobLogs("once")).filter((line) => line.startsWith("step"))).toHaveLength(2);
    await second.close();
  });

  test("a job whose end can't be recorded either is over once it is saved, and not before", async () => {
    const dataDir = makeDataDir();
    const { state, openState } = disk();
    const { engine, close } = await openEngine(dataDir, { openState });
    const dana = userOf(engine);
    await dana.createJob("once", job);
    await until(async () => (await dana.jobLogs("once")).length > 0, "the job to run");
    state.isFull = true;
    rmSync(join(dataDir, "runs"), { recursive: true });

    const waiting = await until(async () => (await dana.readJob("once")).message, "why it isn't over");
    const { status } = await dana.readJob("once");
    state.isFull = false;
    await dana.ends("once");

    expect(waiting).toBe("It has ended; the outcome can't be saved yet.");
    expect(status?.conditions ?? []).toEqual([]);
    const { message, status: after } = await dana.readJob("once");
    expect([message, after?.succeeded]).toEqual([undefined, 1]);
    await close();
  });

  test("a job that ends is saved when there is space again, without a restart", async () => {
    const dataDir = makeDataDir();
    const { state, openState } = disk();
    const { engine, close } = await openEngine(dataDir, { openState });
    const dana = userOf(engine);
    await dana.createJob("once", job);
    await until(async () => (await dana.jobLogs("once")).length > 0, "the job to run");
    state.isFull = true;
    await dana.ends("once");
    const version = (await dana.readJob("once")).metadata.resourceVersion;

    state.isFull = false;

    const saved = await until(async () => {
      const { metadata } = await dana.readJob("once");
      return metadata.resourceVersion !== version && metadata.resourceVersion;
    }, "the job to be saved");
    expect(Number(saved)).toBeGreaterThan(Number(version));
    await close();
  });
});

/** A disk of 3 MiB of its own. Only root may mount one. */
function smallDisk(): string | undefined {
  const folder = makeDataDir();
  try {
    asRoot("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", folder]);
    mounted.push(folder);
    return folder;
  } catch {
    return undefined;
  }
}

function asRoot(command: string, words: readonly string[]): void {
  execFileSync(command, words, { stdio: "ignore" });
}

const mounted: string[] = [];
afterAll(() => {
  for (const folder of mounted) asRoot("umount", ["-l", folder]);
});

function fill(folder: string): string {
  const path = join(folder, "ballast");
  const file = openSync(path, "w");
  try {
    for (const size of [65_536, 4_096, 1]) for (;;) if (!writes(file, size)) break;
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return path;
}

function writes(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) > 0;
  } catch {
    return false;
  }
}

test("on a disk that is really full, a job that ended is not run again after kill -9", async (context) => {
  const folder = smallDisk();
  if (folder === undefined) {
    const why = "mounting a small disk needs root on Linux";
    if (process.env["GANTRY_TEST"] === "all") throw new Error(why);
    return context.skip(why);
  }
  const dataDir = join(folder, "engine");
  const traces = makeDataDir();
  const trace = join(traces, "runs");
  writeFileSync(trace, "");
  const doomed = await engineProcess(dataDir);
  const code = `require("fs").appendFileSync(${JSON.stringify(trace)}, "run\\n"); setTimeout(() => {}, 1500)`;
  await doomed.createJob("once", { containers: [{ image: "host", command: [process.execPath, "-e", code] }] });
  await until(() => readFileSync(trace, "utf8") === "run\n", "the job to run");
  const ballast = fill(folder);
  await until(async () => (await doomed.readJob("once")).status?.conditions, "the job to end");
  await doomed.kill();
  rmSync(ballast);

  const next = await openEngine(dataDir, { allowHostCommands: true });

  const dana = userOf(next.engine);
  expect((await dana.readJob("once")).status).toMatchObject({ succeeded: 1 });
  expect(readFileSync(trace, "utf8")).toBe("run\n");
  await next.close();
});
