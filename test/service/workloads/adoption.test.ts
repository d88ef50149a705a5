import { describe, expect, test } from "vitest";
import { makeClusterWorld, unitsOf } from "../support/cluster-world.ts";

const web = { containers: [{ image: "test/web" }], port_mappings: [{ container_port: 8080 }], target_instance_size: 2 };

type Dana = ReturnType<ReturnType<typeof makeClusterWorld>["userOf"]>;

async function printed(dana: Dana, name: string): Promise<string[]> {
  return (await dana.logs(name))
    .filter(({ log }) => !log.startsWith("[gantry]"))
    .map((line) => `${line.instance_name} ${line.log}`);
}

describe("a server that leaves its workloads running", () => {
  test("the next one has them under the same name, address and status, and starts none of them again", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    const before = world.userOf(first);
    await before.create("web", web);
    await before.reaches("web", "Running");
    const service = await before.read("web");
    await first.close({ keepWorkloads: true });
    expect(unitsOf(cluster)).toHaveLength(2);

    const second = await open();
    const after = world.userOf(second);
    await after.reaches("web", "Running");

    // Nobody told this server since when it runs.
    const { status_since: _, ...known } = service;
    expect(await after.read("web")).toEqual(known);
    expect(cluster.started).toHaveLength(2);
    await second.close();
    expect(unitsOf(cluster)).toEqual([]);
  });

  test("the log has each line once: those before, those meanwhile and those after", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).create("web", { ...web, target_instance_size: 1 });
    await world.userOf(first).reaches("web", "Running");
    const [unit] = cluster.running();
    unit?.print("before");
    await world.until(async () => (await printed(world.userOf(first), "web")).length === 2, "the line before");
    await first.close({ keepWorkloads: true });
    unit?.print("meanwhile");

    const second = await open();
    unit?.print("after");
    const dana = world.userOf(second);
    await world.until(async () => (await printed(dana, "web")).length >= 4, "the lines after");

    expect(await printed(dana, "web")).toEqual(
      ["started", "before", "meanwhile", "after"].map((line) => `web-0 ${line}`),
    );
    await second.close();
  });

  test("an instance that crashed meanwhile is started again, the others are left alone", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).create("web", web);
    await world.userOf(first).reaches("web", "Running");
    await first.close({ keepWorkloads: true });
    const [crashed, healthy] = cluster.running();
    crashed?.end(1);

    const second = await open();
    await world.until(() => unitsOf(cluster).length === 2, "two instances");

    expect(cluster.running()).toContain(healthy);
    expect(cluster.started).toHaveLength(3);
    await second.close();
  });

  test("a restart that was accepted just before is finished by the next one", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).create("web", web);
    await world.userOf(first).reaches("web", "Running");
    await world.userOf(first).restart("web");
    await first.close({ keepWorkloads: true });

    const second = await open();

    await world.until(() => unitsOf(cluster).every((unit) => unit.endsWith("1")), "both instances to be replaced");
    await world.userOf(second).reaches("web", "Running");
    expect(unitsOf(cluster).toSorted()).toEqual(["web-0 generation 1", "web-1 generation 1"]);
    await second.close();
  });
});

test("of two units of the same instance only one is adopted, and the other is stopped", async () => {
  const world = makeClusterWorld();
  const { cluster, open } = world;
  const first = await open();
  await world.userOf(first).create("web", { ...web, target_instance_size: 1 });
  await world.userOf(first).reaches("web", "Running");
  await first.close({ keepWorkloads: true });
  for (const { spec } of cluster.running()) await cluster.runtime.start(spec, () => undefined);
  expect(unitsOf(cluster)).toHaveLength(2);

  const second = await open();
  await world.userOf(second).reaches("web", "Running");

  await world.until(() => unitsOf(cluster).length === 1, "the duplicate to be stopped");
  expect(cluster.started).toHaveLength(2);
  await second.close();
});

describe("a job", () => {
  const lasting = { containers: [{ image: "test/lasting" }] };

  test("runs on without a server, in the same instance and attempt", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).createJob("batch", lasting);
    await world.until(() => cluster.running().length === 1, "the job to run");
    await first.close({ keepWorkloads: true });

    const second = await open();
    const dana = world.userOf(second);
    cluster.running()[0]?.print("almost done");
    cluster.running()[0]?.end(0);
    await dana.ends("batch");

    expect((await dana.readJob("batch")).status).toMatchObject({ succeeded: 1 });
    expect((await dana.jobLogs("batch")).slice(1)).toEqual(["started", "almost done"]);
    expect(cluster.started).toHaveLength(1);
    await second.close();
  });

  test("that ended without a server is complete, with its last lines, and is not run again", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).createJob("batch", lasting);
    await world.until(() => cluster.running().length === 1, "the job to run");
    await first.close({ keepWorkloads: true });
    cluster.started[0]?.print("done");
    cluster.started[0]?.end(0);

    const second = await open();
    const dana = world.userOf(second);
    await dana.ends("batch");

    expect((await dana.readJob("batch")).status).toMatchObject({ succeeded: 1 });
    expect((await dana.jobLogs("batch")).at(-1)).toBe("done");
    expect(cluster.started).toHaveLength(1);
    await second.close();
  });

  test("that failed without a server is tried again", async () => {
    const world = makeClusterWorld();
    const { cluster, open } = world;
    const first = await open();
    await world.userOf(first).createJob("batch", lasting);
    await world.until(() => cluster.running().length === 1, "the job to run");
    await first.close({ keepWorkloads: true });
    cluster.started[0]?.end(1);

    const second = await open();
    await world.until(() => cluster.started.length === 2, "the second attempt");

    expect((await world.userOf(second).readJob("batch")).status).toMatchObject({ active: 1, failed: 1 });
    await second.close();
  });
});

test("units of a service that is held back are stopped, and run again when it is allowed again", async () => {
  const world = makeClusterWorld();
  const { cluster, open } = world;
  const first = await open();
  await world.userOf(first).create("web", web);
  await world.userOf(first).reaches("web", "Running");
  await first.close({ keepWorkloads: true });

  const withoutDana = await open({ users: ["kim"] });
  await world.until(() => unitsOf(cluster).length === 0, "the units to be stopped");
  await withoutDana.close({ keepWorkloads: true });

  const withDana = await open();
  await world.userOf(withDana).reaches("web", "Running");
  expect(unitsOf(cluster)).toHaveLength(2);
  await withDana.close();
});

test("a server that stops as usual takes its workloads with it", async () => {
  const world = makeClusterWorld();
  const { cluster, open } = world;
  const { engine, close, ready } = await open();
  await world.userOf({ engine }).create("web", web);
  await world.userOf({ engine }).reaches("web", "Running");
  expect(ready()).toEqual({ ok: true });

  await close();

  expect(unitsOf(cluster)).toEqual([]);
  expect(ready()).toMatchObject({ ok: false, reason: expect.stringContaining("stopping") });
});
