import { describe, expect, test } from "vitest";
import { previousRun } from "../../../../src/bot/logs/runs.ts";
import { makeClusterWorld, unitsOf } from "../../support/cluster-world.ts";
import type { Unit } from "../../../../src/service/workloads/runtime.ts";
import type { MemoryUnit } from "../../support/memory-runtime.ts";

const web = { containers: [{ image: "test/web" }], port_mappings: [{ container_port: 8080 }] };

/** A cluster whose units of a generation take connections only once it is let in. */
function makeWorld({ instances = 100, memoryMib = 100_000 } = {}) {
  const closed = new Set<number>();
  const broken = new Set<number>();
  const amount = { instances, memoryMib, ports: 100, workloads: 100 };
  const world = makeClusterWorld({
    answers: ({ spec }) => !closed.has(spec.generation),
    quotas: { user: amount, host: amount },
    runtime: ({ start }) => ({
      async start(spec, note) {
        const unit = await start(spec, note);
        if (broken.has(spec.generation)) world.cluster.started.at(-1)?.end(7);
        return unit;
      },
    }),
  });
  // A program that is slow to take connections is never taken for one that does something else.
  return { ...world, open: () => world.open({ readyAfterMs: 60 * 60_000 }), closed, broken };
}

async function runningWeb(world: ReturnType<typeof makeWorld>, body: object = {}) {
  const opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("web", { ...web, ...body });
  await dana.reaches("web", "Running");
  return { ...opened, dana };
}

describe("a restart", () => {
  test("stops an instance only when its replacement takes connections, one after the other", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world, { target_instance_size: 2 });
    world.closed.add(1);

    await dana.restart("web");
    await world.until(() => unitsOf(world.cluster).length === 3, "the first replacement");

    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 0", "web-1 generation 0", "web-0 generation 1"]);
    expect(await dana.read("web")).toMatchObject({ status: "Updating", ready_instances: 2 });
    world.closed.delete(1);
    await dana.reaches("web", "Running");
    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 1", "web-1 generation 1"]);
    expect(orderOf(world.cluster.started)).toEqual(["web-0 0", "web-1 0", "web-0 1", "web-1 1"]);
    await close();
  });

  test("whose new instance crashes again and again keeps the old one, and the service says why it failed", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    world.broken.add(1);

    await dana.restart("web");
    await dana.reaches("web", "Failed");

    expect(await dana.read("web")).toMatchObject({ message: "web-0 exited with code 7", ready_instances: 1 });
    expect(unitsOf(world.cluster)).toContain("web-0 generation 0");
    await dana.restart("web");
    await dana.reaches("web", "Running");
    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 2"]);
    expect(world.cluster.doubled).toEqual([]);
    await close();
  });

  test("has the lines of the old instance and those of the new one under two names, so that a crash is told from what serves", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    const [old] = world.cluster.running();
    world.closed.add(1);

    await dana.restart("web");
    await world.until(() => unitsOf(world.cluster).includes("web-0 generation 1"), "the replacement");
    const fresh = world.cluster.started.at(-1);
    fresh?.print("new: no database");
    old?.print("old: served a request");
    fresh?.end(7);
    const read = async () =>
      (await dana.logs("web")).map(({ instance_name: instance, log }) => ({ instance: instance ?? "", text: log }));
    const served = { instance: "web-0", text: "old: served a request" };
    await world.until(
      async () => (await read()).some(({ text }) => text === served.text),
      "the line of the old instance",
    );
    await world.until(async () => previousRun(await read()) !== undefined, "the line about the crash");

    const lines = await read();
    const run = previousRun(lines);
    expect(run).toMatchObject({ instance: "web-0-g1", how: "exited with code 7" });
    expect(run?.places.map((at) => lines[at]?.text)).toEqual([
      "[gantry] pulled test/web",
      "started",
      "new: no database",
      expect.stringMatching(/^\[gantry\] instance web-0 exited with code 7, restarting in/),
    ]);
    expect(lines).toContainEqual(served);
    await close();
  });

  test.each([
    ["writes to a disk stops the old instance first", false, ["web-0 generation 1"]],
    ["only reads its disk doesn't", true, ["web-0 generation 0", "web-0 generation 1"]],
  ])("of a service that %s", async (_, isReadOnly, units) => {
    const world = makeWorld();
    const disk = { name: "data", disk_name: "d1", is_read_only: isReadOnly };
    const containers = [{ image: "test/web", volumeMounts: [{ name: "data", mountPath: "/data" }] }];
    const { dana, close } = await runningWeb(world, { containers, volumes: [disk] });
    world.closed.add(1);

    await dana.restart("web");
    await world.until(() => unitsOf(world.cluster).includes("web-0 generation 1"), "the replacement");

    expect(unitsOf(world.cluster)).toEqual(units);
    await close();
  });

  test.each([
    ["instances", { instances: 2 }],
    ["memory", { memoryMib: 2 * 64 }],
  ])("stops the old instance first when the quota of %s has no room for another one", async (_, quota) => {
    const world = makeWorld(quota);
    const { dana, close } = await runningWeb(world, { target_instance_size: 2 });
    world.closed.add(1);

    await dana.restart("web");
    await world.until(() => unitsOf(world.cluster).includes("web-0 generation 1"), "the replacement");

    expect(unitsOf(world.cluster)).toEqual(["web-1 generation 0", "web-0 generation 1"]);
    world.closed.delete(1);
    await dana.reaches("web", "Running");
    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 1", "web-1 generation 1"]);
    await close();
  });

  test("of two services with room for one more instance is done by both, and what it needed is free again", async () => {
    const world = makeWorld({ instances: 5 });
    const { dana, close } = await runningWeb(world, { target_instance_size: 2 });
    await dana.create("api", { ...web, target_instance_size: 2 });
    await dana.reaches("api", "Running");

    await Promise.all([dana.restart("web"), dana.restart("api")]);
    await Promise.all([dana.reaches("web", "Running"), dana.reaches("api", "Running")]);

    expect(unitsOf(world.cluster).every((unit) => unit.endsWith("generation 1"))).toBe(true);
    await dana.create("last", web);
    await dana.reaches("last", "Running");
    await close();
  });
});

describe("of many instances", () => {
  /** Units of a later generation take connections when they are let in; every start, end and entry is looked at. */
  function makeWatched(instances: number) {
    const letIn = new Set<MemoryUnit>();
    const serves = (unit: MemoryUnit) => unit.spec.generation === 0 || letIn.has(unit);
    const fewest = { serving: Number.POSITIVE_INFINITY };
    const look = () => {
      fewest.serving = Math.min(fewest.serving, world.cluster.running().filter(serves).length);
    };
    const amount = { instances, memoryMib: 100_000, ports: 100, workloads: 100 };
    const world = makeClusterWorld({
      answers: serves,
      quotas: { user: amount, host: amount },
      runtime: ({ start, adopt }) => ({
        start: async (spec, note) => watchedStop(await start(spec, note)),
        adopt: async () => (await adopt()).map(watchedStop),
      }),
    });
    function watchedStop(unit: Unit): Unit {
      return {
        ...unit,
        async stop() {
          const stopping = unit.stop();
          look();
          await stopping;
        },
      };
    }
    const waiting = () => world.cluster.running().filter((unit) => !serves(unit));
    return { ...world, open: () => world.open({ readyAfterMs: 60 * 60_000 }), waiting, letIn, fewest };
  }

  const disk = {
    containers: [{ image: "test/web", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
    volumes: [{ name: "data", disk_name: "d1" }],
  };

  test.each<[string, { size: number; room: number; body?: object; fewest: number; atOnce: number }]>([
    ["two, one at a time", { size: 2, room: 10, fewest: 2, atOnce: 1 }],
    ["seven, one at a time", { size: 7, room: 10, fewest: 7, atOnce: 1 }],
    ["fifty, twelve at once", { size: 50, room: 100, fewest: 50, atOnce: 12 }],
    ["two that write to a disk", { size: 2, room: 10, body: disk, fewest: 1, atOnce: 1 }],
    ["twelve that write to a disk, three at once", { size: 12, room: 50, body: disk, fewest: 9, atOnce: 3 }],
    ["twelve without room for another one, three at once", { size: 12, room: 12, fewest: 9, atOnce: 3 }],
    ["twelve with room for one more", { size: 12, room: 13, fewest: 10, atOnce: 3 }],
  ])("%s: enough of them serve at all times", async (_, { size, room, body = {}, fewest, atOnce }) => {
    const world = makeWatched(room);
    const { engine, close } = await world.open();
    const dana = world.userOf({ engine });
    await dana.create("web", { ...web, ...body, target_instance_size: size });
    await dana.reaches("web", "Running");

    await dana.restart("web");
    let most = 0;
    const told = new Set<number | undefined>();
    // One after the other takes connections, once as many as possible wait for it.
    for (let done = 0; done < size; done += 1) {
      const expected = Math.min(atOnce, size - done);
      await world.until(() => world.waiting().length >= expected, `${expected} replacements after ${done}`);
      most = Math.max(most, world.waiting().length);
      told.add((await dana.read("web")).rollout?.ready);
      const [next] = world.waiting();
      if (next) world.letIn.add(next);
    }
    await dana.reaches("web", "Running");

    expect(most).toBe(atOnce);
    expect(world.fewest.serving).toBe(fewest);
    expect(world.cluster.started).toHaveLength(2 * size);
    expect(unitsOf(world.cluster).every((unit) => unit.endsWith("generation 1"))).toBe(true);
    expect(world.cluster.doubled).toEqual([]);
    expect(told).toContain(0);
    expect(await dana.read("web")).not.toHaveProperty("rollout");
    await close();
  });

  async function replacing() {
    const world = makeWatched(100);
    const opened = await world.open();
    const dana = world.userOf(opened);
    await dana.create("web", { ...web, target_instance_size: 12 });
    await dana.reaches("web", "Running");
    await dana.restart("web");
    await world.until(() => world.waiting().length === 3, "three replacements");
    return { world, dana, ...opened };
  }

  async function letAllIn(world: ReturnType<typeof makeWatched>, dana: ReturnType<typeof world.userOf>) {
    await world.until(async () => {
      for (const unit of world.waiting()) world.letIn.add(unit);
      return (await dana.read("web")).status === "Running";
    }, "all of them to run");
  }

  test("a server that leaves in the middle is followed by one that goes on with the same ones", async () => {
    const { world, close } = await replacing();
    const [first] = world.waiting();
    if (first) world.letIn.add(first);
    await world.until(() => unitsOf(world.cluster).includes("web-3 generation 1"), "the next replacement");
    await close({ keepWorkloads: true });

    const second = await world.open();
    const dana = world.userOf(second);
    await world.until(async () => (await dana.read("web")).rollout?.ready === 1, "how many are replaced");
    expect(world.waiting()).toHaveLength(3);
    await letAllIn(world, dana);

    expect(unitsOf(world.cluster)).toHaveLength(12);
    expect(world.cluster.started).toHaveLength(24);
    expect(world.fewest.serving).toBe(12);
    await second.close();
  });

  test("one that crashes again and again holds all others back", async () => {
    const { world, dana, close } = await replacing();
    await world.until(async () => {
      world
        .waiting()
        .find(({ spec }) => spec.instance === "web-1")
        ?.end(7);
      return (await dana.read("web")).status === "Failed";
    }, "the failure");
    for (const unit of world.waiting()) world.letIn.add(unit);
    await world.until(() => !unitsOf(world.cluster).includes("web-2 generation 0"), "those that work");

    expect(unitsOf(world.cluster).filter((unit) => unit.endsWith("generation 0"))).toHaveLength(10);
    expect(world.fewest.serving).toBeGreaterThanOrEqual(12);
    await close();
  });

  test("a stop, a deletion or a smaller size goes before it", async () => {
    const { world, dana, close } = await replacing();

    await dana.update("web", { target_instance_size: 2 });
    await world.until(() => unitsOf(world.cluster).length === 4, "fewer instances");
    expect(world.waiting().map(({ spec }) => spec.instance)).toEqual(["web-0", "web-1"]);
    await letAllIn(world, dana);
    expect(unitsOf(world.cluster).toSorted()).toEqual(["web-0 generation 1", "web-1 generation 1"]);

    await dana.restart("web");
    await dana.stop("web");
    await dana.reaches("web", "Stopped");
    expect(unitsOf(world.cluster)).toEqual([]);
    await dana.start("web");
    await letAllIn(world, dana);
    expect(unitsOf(world.cluster).toSorted()).toEqual(["web-0 generation 2", "web-1 generation 2"]);
    await dana.restart("web");
    await dana.remove("web");
    await world.until(async () => (await dana.list()).services.length === 0, "the deletion");
    expect(unitsOf(world.cluster)).toEqual([]);
    expect(world.cluster.started.every((unit) => unit.isDiscarded())).toBe(true);
    await close();
  });
});

describe("in the middle of a replacement", () => {
  async function replacing(body: object = {}) {
    const world = makeWorld();
    const opened = await runningWeb(world, body);
    world.closed.add(1);
    await opened.dana.restart("web");
    await world.until(() => unitsOf(world.cluster).includes("web-0 generation 1"), "the replacement");
    return { world, ...opened };
  }

  test("another size takes away the highest instances and adds new ones", async () => {
    const { world, dana, close } = await replacing({ target_instance_size: 3 });

    await dana.update("web", { target_instance_size: 1 });
    await world.until(() => unitsOf(world.cluster).length === 2, "fewer instances");
    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 0", "web-0 generation 1"]);

    await dana.update("web", { target_instance_size: 2 });
    world.closed.clear();
    await dana.reaches("web", "Running");
    expect(unitsOf(world.cluster).toSorted()).toEqual(["web-0 generation 1", "web-1 generation 1"]);
    await close();
  });

  test("another restart gives up the replacement, not the instance that works", async () => {
    const { world, dana, close } = await replacing();
    world.closed.add(2);

    await dana.restart("web");
    await world.until(() => unitsOf(world.cluster).includes("web-0 generation 2"), "the other replacement");

    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 0", "web-0 generation 2"]);
    world.closed.clear();
    await dana.reaches("web", "Running");
    expect(unitsOf(world.cluster)).toEqual(["web-0 generation 2"]);
    await close();
  });
});

function orderOf(started: readonly MemoryUnit[]): string[] {
  return started.map(({ spec }) => `${spec.instance} ${spec.generation}`);
}
