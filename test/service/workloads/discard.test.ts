import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRecord, recordPath } from "../../../src/service/workloads/jobs/run-record.ts";
import type { RunRecord, Unit, UnitLabels } from "../../../src/service/workloads/runtime.ts";
import { until } from "../../support/until.ts";
import { makeClusterWorld } from "../support/cluster-world.ts";
import type { MemoryUnit } from "../support/memory-runtime.ts";

/** What a server that begins at the moment of a discard finds on the disk. */
type Found = { readonly lines: readonly string[]; readonly record: RunRecord | undefined };

function makeWorld() {
  const found = new Map<string, Found>();
  const watched = (unit: Unit): Unit => ({
    ...unit,
    async discard() {
      const { workload, instance, container } = unit.labels;
      const record = await readRecord(recordPath(world.dataDir, workload, container));
      found.set(instance, { lines: storedLines(world.dataDir, unit.labels), record });
      await unit.discard();
    },
  });
  const world = makeClusterWorld({
    runtime: ({ start, adopt }) => ({
      start: async (spec, note) => watched(await start(spec, note)),
      adopt: async () => (await adopt()).map(watched),
    }),
  });
  return { ...world, found };
}

function storedLines(dataDir: string, { instance }: UnitLabels): string[] {
  const db = new DatabaseSync(join(dataDir, "logs.sqlite"), { readOnly: true });
  const rows = db.prepare("select line from lines where instance = ?").all(instance);
  db.close();
  return rows.map(({ line }) => String(line));
}

function endAfter(unit: MemoryUnit | undefined, line: string, code: number): void {
  unit?.print(line);
  unit?.end(code);
}

test("a crashed instance is removed once its last line and its crash are stored", async () => {
  const world = makeWorld();
  const { cluster, found, open } = world;
  const { engine, close } = await open();
  const dana = world.userOf({ engine });
  await dana.create("web", { containers: [{ image: "test/web" }] });
  await dana.reaches("web", "Running");

  endAfter(cluster.running()[0], "out of luck", 1);
  // While the clock stands still: lines that wait would be stored a moment later anyway.
  await until(() => found.has("web-0"));
  await world.until(
    () => cluster.running().length === 1 && cluster.ended().length === 0,
    "its removal and another start",
  );

  expect(found.get("web-0")?.lines).toEqual(expect.arrayContaining(["started", "out of luck"]));
  expect(await dana.read("web")).toMatchObject({ restart_count: 1, last_state: { exit_code: 1 } });
  await close();
  expect(cluster.ended()).toEqual([]);
});

test("the attempt of a job is removed once its last line and its end are stored", async () => {
  const world = makeWorld();
  const { cluster, found, open } = world;
  const { engine, close } = await open();
  const dana = world.userOf({ engine });
  await dana.createJob("batch", { containers: [{ image: "test/lasting" }] });
  await world.until(() => cluster.running().length === 1, "the job to run");
  const [instance = ""] = (await dana.readJob("batch")).instance_names ?? [];

  endAfter(cluster.running()[0], "all done", 0);
  await world.until(() => found.has(instance), "its removal");

  expect(found.get(instance)).toMatchObject({
    lines: ["[gantry] pulled test/lasting", "started", "all done"],
    record: { state: "ended", attempt: 1, code: 0 },
  });
  await close();
});

test("an instance that is left running is not removed; one that ended meanwhile is, once the next server knows", async () => {
  const world = makeWorld();
  const { cluster, found, open } = world;
  const first = await open();
  await world.userOf(first).create("web", { containers: [{ image: "test/web" }] });
  await world.userOf(first).reaches("web", "Running");
  await first.close({ keepWorkloads: true });
  const [unit] = cluster.running();
  endAfter(unit, "out of luck", 1);
  expect(found.size).toBe(0);

  const second = await open();
  await world.until(() => unit?.isDiscarded(), "its removal");

  expect(found.get("web-0")?.lines).toEqual(expect.arrayContaining(["started", "out of luck"]));
  await second.close();
});

test("nothing is left of workloads that nobody knows any more", async () => {
  const world = makeWorld();
  const { cluster, open } = world;
  const first = await open();
  await world.userOf(first).create("web", { containers: [{ image: "test/web" }] });
  await world.userOf(first).reaches("web", "Running");
  await first.close({ keepWorkloads: true });

  const second = await open({ users: ["kim"] });
  await world.until(
    () => cluster.ended().length === 0 && cluster.running().length === 0,
    "the units of dana to be removed",
  );

  expect(cluster.started.every((unit) => unit.isDiscarded())).toBe(true);
  await second.close();
});
