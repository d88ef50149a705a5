import { describe, expect, test } from "vitest";
import { makeClusterWorld, unitsOf } from "../../support/cluster-world.ts";
import type { ClusterOptions, MemoryUnit } from "../../support/memory-runtime.ts";

const web = {
  containers: [{ image: "test/web", env: [{ name: "LEVEL", value: "info" }] }],
  port_mappings: [{ container_port: 8080 }],
  target_instance_size: 3,
};

/** A cluster on which some images never answer on their ports, and some crash. */
function makeWorld(options: Pick<ClusterOptions, "health" | "digest" | "stops"> = {}) {
  const silent = new Set<string>();
  const crashing = new Set<string>();
  const world = makeClusterWorld({
    answers: ({ spec }) => !silent.has(spec.definition.image),
    ...options,
    runtime: ({ start }) => ({
      async start(spec, note) {
        const unit = await start(spec, note);
        if (crashing.has(spec.definition.image)) world.cluster.started.at(-1)?.end(7);
        return unit;
      },
    }),
  });
  return { ...world, silent, crashing };
}

type World = ReturnType<typeof makeWorld>;

async function runningWeb(world: World, body: object = {}) {
  const opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("web", { ...web, ...body });
  await dana.reaches("web", "Running");
  return { ...opened, dana };
}

type Dana = ReturnType<World["userOf"]>;
const deploy = (dana: Dana, image: string) => dana.update("web", { containers: [{ image }] });
const stuck = (world: World, dana: Dana) =>
  world.until(async () => (await dana.read("web")).rollout?.state === "stuck", "the rollout to be stuck");
const imagesOf = ({ running }: World["cluster"]) => running().map(imageOf).toSorted();
const imageOf = ({ spec }: MemoryUnit) => `${spec.instance} ${spec.definition.image}`;
const oldOnes = ["web-0 test/web", "web-1 test/web", "web-2 test/web"];

test("going back to a revision without variables removes them, also for the next server", async () => {
  const world = makeWorld();
  const first = await runningWeb(world, { containers: [{ image: "test/web" }] });
  await first.dana.update("web", { containers: [{ env: { set: [{ name: "LEVEL", value: "debug" }] } }] });
  await first.dana.reaches("web", "Running");
  await first.close();

  const next = await world.open();
  const dana = world.userOf(next);
  expect((await dana.read("web")).revisions?.[1]).not.toHaveProperty("is_current");
  await dana.update("web", { revision: 1 });

  const { containers, revisions } = await dana.read("web");
  expect(containers?.[0]?.env).toEqual([]);
  expect(revisions).toMatchObject([{ revision: 3 }, { revision: 2 }, { revision: 1, is_current: true }]);
  await next.close();
});

describe("another image", () => {
  test("replaces all instances, and is the next revision", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    expect(await dana.read("web")).toMatchObject({ revision: 1, revisions: [{ revision: 1, images: ["test/web"] }] });

    await deploy(dana, "test/lasting");
    await dana.reaches("web", "Running");

    expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", "web-1 test/lasting", "web-2 test/lasting"]);
    const done = { outcome: "done", created_at: expect.any(String), ended_at: expect.any(String) };
    expect(await dana.read("web")).toMatchObject({
      revision: 2,
      revisions: [
        { revision: 2, images: ["test/lasting"], ...done },
        { revision: 1, images: ["test/web"], ...done },
      ],
      rollout: { from: 1, to: 2, state: "done", updated: 3, ready: 3, old_ready: 0, target: 3 },
    });
    expect((await dana.list()).services[0]).not.toHaveProperty("rollout");
    await close();
  });

  test("that is replaced while instances before it still end was ready all the same", async () => {
    const world = makeWorld({ stops: (unit) => unit !== lingering });
    const { dana, close } = await runningWeb(world);
    const lingering = world.cluster.running().find(({ spec }) => spec.instance === "web-2");

    await deploy(dana, "test/lasting");
    await world.until(async () => (await dana.read("web")).rollout?.updated === 3, "all new instances");
    await world.until(
      async () => (await dana.read("web")).revisions?.[0]?.outcome === "done",
      "the new ones to be ready",
    );
    expect(await dana.read("web")).toMatchObject({ status: "Updating", rollout: { state: "progressing", ready: 3 } });
    await deploy(dana, "test/web");

    expect((await dana.read("web")).revisions).toMatchObject([{ revision: 3 }, { outcome: "done" }, {}]);
    lingering?.end(0);
    await dana.reaches("web", "Running");
    await close();
  });

  test("that never answers is stuck, and the old instances serve on", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    world.silent.add("test/lasting");

    await deploy(dana, "test/lasting");
    await stuck(world, dana);

    expect(await dana.read("web")).toMatchObject({
      status: "Failed",
      ready_instances: 3,
      rollout: { from: 1, to: 2, state: "stuck", updated: 1, ready: 0, old_ready: 3, target: 3 },
      message: "web-0 is waiting: it doesn't answer on its port",
    });
    expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", ...oldOnes]);
    world.silent.clear();
    await dana.reaches("web", "Running");
    expect(await dana.read("web")).toMatchObject({ rollout: { state: "done" }, ready_instances: 3 });
    await close();
  });

  test("that is taken back leaves a revision that went well, also while its last instance takes its time to end", async () => {
    const world = makeWorld({ stops: ({ spec }) => spec.definition.image !== "test/lasting" });
    const { dana, close } = await runningWeb(world);
    world.silent.add("test/lasting");
    await deploy(dana, "test/lasting");
    await stuck(world, dana);
    const lingering = world.cluster.running().find(({ spec }) => spec.definition.image === "test/lasting");

    await dana.update("web", { revision: 1 });
    await world.until(
      async () => (await dana.read("web")).revisions?.[0]?.outcome === "done",
      "the way back to be done",
    );
    const { revisions, instance_names: names } = await dana.read("web");
    expect(revisions).toMatchObject([{ revision: 3 }, { outcome: "aborted" }, {}]);
    // The one that is stopping isn't named.
    expect(names).toEqual(["web-0", "web-1", "web-2"]);

    lingering?.end(0);
    await dana.reaches("web", "Running");
    await close();
  });

  test("that crashes is stuck with the reason", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    world.crashing.add("test/lasting");

    await deploy(dana, "test/lasting");
    await stuck(world, dana);

    expect(await dana.read("web")).toMatchObject({ message: "web-0 exited with code 7", ready_instances: 3 });
    await close();
  });

  test("that can't run here changes nothing, also of a stopped service", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    await dana.stop("web");
    const before = await dana.read("web");

    await expect(deploy(dana, "test/unknown")).rejects.toThrow("unknown image test/unknown");

    expect((await dana.read("web")).containers).toEqual(before.containers);
    await close();
  });

  test("that it has already is no new revision", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);

    await deploy(dana, "test/web");

    expect(await dana.read("web")).toMatchObject({ status: "Running", revision: 1 });
    expect(world.cluster.started).toHaveLength(3);
    await close();
  });

  test("of a stopped service waits for its start", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    await dana.stop("web");
    await dana.reaches("web", "Stopped");

    await deploy(dana, "test/lasting");
    expect(await dana.read("web")).toMatchObject({ status: "Stopped", revision: 2 });
    expect((await dana.read("web")).revisions?.[0]).not.toHaveProperty("outcome");

    await dana.start("web");
    await dana.reaches("web", "Running");
    expect(await dana.read("web")).toMatchObject({ revisions: [{ outcome: "done" }, {}] });
    await close();
  });
});

test("an image without ports has to run for longer than one that was ready before", async () => {
  const world = makeWorld();
  const opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("web", { ...web, port_mappings: [], target_instance_size: 2 });
  await dana.reaches("web", "Running");
  const { started } = world.cluster;

  await deploy(dana, "test/lasting");
  await world.until(() => started.length === 3, "the first new instance");
  const unit = started.at(-1);
  // One that was ready before would be taken for ready by now: after 1 s.
  await world.clock.passMs(4_000);
  unit?.end(7);
  await unit?.exited;

  expect(await dana.read("web")).toMatchObject({ ready_instances: 2, rollout: { ready: 0, old_ready: 2 } });
  expect(imagesOf(world.cluster)).toEqual(["web-0 test/web", "web-1 test/web"]);
  await world.until(async () => (await dana.read("web")).rollout?.state === "done", "both to be replaced");
  expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", "web-1 test/lasting"]);
  await opened.close();
});

describe("an image with a health check", () => {
  test("is ready when that passes, and not when its port answers", async () => {
    const healthy = new Set(["test/web"]);
    const world = makeWorld({ health: ({ spec }) => (healthy.has(spec.definition.image) ? "healthy" : "starting") });
    world.silent.add("test/web");
    const { dana, close } = await runningWeb(world);

    await deploy(dana, "test/lasting");
    await world.until(() => imagesOf(world.cluster).includes("web-0 test/lasting"), "the first new instance");
    expect((await dana.read("web")).rollout).toMatchObject({ state: "progressing", ready: 0, old_ready: 3 });
    healthy.add("test/lasting");
    await dana.reaches("web", "Running");

    expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", "web-1 test/lasting", "web-2 test/lasting"]);
    await close();
  });

  test("that fails is stuck although its port answers, until the check passes after all", async () => {
    const failing = new Set(["test/lasting"]);
    const world = makeWorld({ health: ({ spec }) => (failing.has(spec.definition.image) ? "unhealthy" : "healthy") });
    const { dana, close } = await runningWeb(world);

    await deploy(dana, "test/lasting");
    await stuck(world, dana);

    const message = "web-0 is waiting: it doesn't pass its health check";
    expect(await dana.read("web")).toMatchObject({ status: "Failed", ready_instances: 3, message });
    expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", ...oldOnes]);
    failing.clear();
    await dana.reaches("web", "Running");
    await close();
  });

  test("that fails makes a new service fail, too", async () => {
    const world = makeWorld({ health: () => "unhealthy" });
    const opened = await world.open();
    const dana = world.userOf(opened);

    await dana.create("web", web);
    await dana.reaches("web", "Failed");

    expect((await dana.read("web")).ready_instances).toBe(0);
    await opened.close();
  });
});

describe("environment variables", () => {
  test("are set and removed by name; the others stay", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world, {
      containers: [
        {
          image: "test/web",
          env: [
            { name: "LEVEL", value: "info" },
            { name: "OLD", value: "1" },
            { name: "KEY", value: "s3cret" },
          ],
        },
      ],
    });

    const env = { set: [{ name: "NEW" }, { name: "LEVEL", value: "debug" }], remove: ["OLD", "NEVER"] };
    await dana.update("web", { containers: [{ env }] });
    await dana.reaches("web", "Running");

    const expected = [{ name: "LEVEL", value: "debug" }, { name: "KEY", value: "s3cret" }, { name: "NEW" }];
    expect((await dana.read("web")).containers?.[0]?.env).toEqual(expected);
    expect(world.cluster.running().map(({ spec }) => spec.definition.env)).toEqual([expected, expected, expected]);
    await dana.update("web", { revision: 1 });
    expect((await dana.read("web")).containers?.[0]?.env).toHaveLength(3);
    await close();
  });
});

describe("going back", () => {
  test("from a version that doesn't start keeps the instances that still run", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    const before = new Set(world.cluster.running());
    world.silent.add("test/lasting");
    await deploy(dana, "test/lasting");
    await stuck(world, dana);

    await dana.update("web", { revision: 1 });
    await dana.reaches("web", "Running");

    expect(world.cluster.running().every((unit) => before.has(unit))).toBe(true);
    expect(await dana.read("web")).toMatchObject({
      status: "Running",
      revision: 3,
      revisions: [{ revision: 3, outcome: "done" }, { revision: 2, outcome: "aborted" }, { revision: 1 }],
      rollout: { from: 2, to: 3, state: "done" },
    });
    await close();
  });

  test("in the middle replaces only what was replaced, and twice is as good as once", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    const before = new Set(world.cluster.running());
    await deploy(dana, "test/lasting");
    await world.until(() => imagesOf(world.cluster).includes("web-0 test/lasting"), "the first new instance");
    world.silent.add("test/lasting");

    await dana.update("web", { revision: 1 });
    await dana.reaches("web", "Running");
    await world.until(() => world.cluster.running().length === 3, "three instances");
    await dana.update("web", { revision: 1 });

    expect(imagesOf(world.cluster)).toEqual(oldOnes);
    expect(world.cluster.running().filter((unit) => before.has(unit)).length).toBeGreaterThanOrEqual(1);
    expect((await dana.read("web")).revision).toBe(3);
    await close();
  });

  test("after success runs the old version again, with the memory and size of now", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    await deploy(dana, "test/lasting");
    await dana.reaches("web", "Running");
    await dana.update("web", { target_instance_size: 2, containers: [{ resources: { limits: { memory: 512 } } }] });
    await dana.reaches("web", "Running");

    await dana.update("web", { revision: 1 });
    await dana.reaches("web", "Running");

    expect(imagesOf(world.cluster)).toEqual(oldOnes.slice(0, 2));
    expect(world.cluster.running().map(({ spec }) => spec.definition.memoryMib)).toEqual([512, 512]);
    await close();
  });

  test("keeps a revision's instances also where it was gone back to before", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    const before = new Set(world.cluster.running());
    world.silent.add("test/lasting").add("test/lines");
    await deploy(dana, "test/lasting");
    await stuck(world, dana);
    await dana.update("web", { revision: 1 });
    await deploy(dana, "test/lines");
    await stuck(world, dana);

    await dana.update("web", { revision: 3 });
    await world.until(() => world.cluster.running().length === 3, "the new instance to be gone");

    expect(world.cluster.running().every((unit) => before.has(unit))).toBe(true);
    await dana.restart("web");
    await dana.reaches("web", "Running");
    expect(world.cluster.running().some((unit) => before.has(unit))).toBe(false);
    await close();
  });

  test("to a revision that isn't kept names those that are", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    for (let at = 0; at < 11; at += 1) await deploy(dana, at % 2 === 0 ? "test/lasting" : "test/web");

    await expect(dana.update("web", { revision: 2 })).rejects.toThrow(
      "revision 2 of service web isn't kept: it has 12, 11, 10, 9, 8, 7, 6, 5, 4, 3. Nothing was changed.",
    );
    expect((await dana.read("web")).revisions).toHaveLength(10);
    await close();
  });
});

describe("a server that leaves in the middle of a rollout", () => {
  test("is followed by one that goes on, and runs a crashed old instance as what it was", async () => {
    const world = makeWorld();
    const { dana, close } = await runningWeb(world);
    world.silent.add("test/lasting");
    await deploy(dana, "test/lasting");
    await stuck(world, dana);
    await close({ keepWorkloads: true });

    const second = await world.open();
    const again = world.userOf(second);
    await stuck(world, again);
    const [old] = world.cluster.running().filter(({ spec }) => spec.instance === "web-2");
    old?.end(1);
    await world.until(() => imagesOf(world.cluster).length === 4, "the old one to run again");
    expect(imagesOf(world.cluster)).toEqual(["web-0 test/lasting", ...oldOnes]);

    await again.update("web", { revision: 1 });
    await world.until(() => world.cluster.running().length === 3, "the new instance to be gone");
    expect(imagesOf(world.cluster)).toEqual(oldOnes);
    await second.close({ keepWorkloads: true });

    const third = await world.open();
    const atLast = world.userOf(third);
    await atLast.reaches("web", "Running");
    expect(imagesOf(world.cluster)).toEqual(oldOnes);
    expect(await atLast.read("web")).toMatchObject({ revision: 3, revisions: [{}, { outcome: "aborted" }, {}] });
    expect(unitsOf(world.cluster)).toHaveLength(3);
    await third.close();
  });
});

describe("the digest of an image", () => {
  const digestIn = async (dana: Dana) => (await dana.read("web")).containers?.[0]?.image_digest;

  test("is told once all instances of a revision are known to run it, also by the next server", async () => {
    let tagged = "sha256:1";
    const digests = new Map<MemoryUnit, string>();
    const digest = (unit: MemoryUnit) => digests.get(unit) ?? digests.set(unit, tagged).get(unit);
    const world = makeWorld({ digest });
    const first = await runningWeb(world);
    expect(await digestIn(first.dana)).toBe("sha256:1");

    // Somebody moved the tag, and an instance crashes.
    tagged = "sha256:2";
    world.cluster.running()[0]?.end(1);
    await world.until(
      async () => world.cluster.started.length === 4 && (await first.dana.read("web")).ready_instances === 3,
      "another start",
    );
    expect(await digestIn(first.dana)).toBeUndefined();

    await first.dana.restart("web");
    await world.until(async () => (await digestIn(first.dana)) === "sha256:2", "the other image");
    await first.close();
    const next = await world.open();
    const dana = world.userOf(next);
    await dana.reaches("web", "Running");
    expect((await dana.list()).services[0]?.containers?.[0]).toMatchObject({ image_digest: "sha256:2" });

    await dana.stop("web");
    await dana.reaches("web", "Stopped");
    expect(await digestIn(dana)).toBeUndefined();
    await next.close();
  });

  test("is kept with a revision that another one replaces, as far as it was known, also for the next server", async () => {
    const digests: Record<string, string | undefined> = { "test/web": "sha256:1" };
    const world = makeWorld({ digest: ({ spec }) => digests[spec.definition.image] });
    const first = await runningWeb(world);
    for (const image of ["test/lasting", "test/web"]) {
      await deploy(first.dana, image);
      await first.dana.reaches("web", "Running");
    }
    await first.close();

    const { engine, close } = await world.open();
    const told = (await world.userOf({ engine }).read("web")).revisions ?? [];
    expect(told.map((each) => [each.images, each.image_digests])).toEqual([
      [["test/web"], undefined],
      [["test/lasting"], undefined],
      [["test/web"], ["sha256:1"]],
    ]);
    await close();
  });

  test("of old instances isn't told of the new image", async () => {
    const world = makeWorld({ digest: ({ spec }) => (spec.definition.image === "test/web" ? "sha256:1" : undefined) });
    const { dana, close } = await runningWeb(world);
    world.silent.add("test/lasting");

    await deploy(dana, "test/lasting");
    await stuck(world, dana);

    expect((await dana.read("web")).containers?.[0]).not.toHaveProperty("image_digest");
    await close();
  });
});
