import { afterEach, describe, expect, test } from "vitest";
import type { OpenedEngine } from "../../../../src/service/engine.ts";
import type { Runtime } from "../../../../src/service/workloads/runtime.ts";
import { makeClusterWorld, unitsOf } from "../../support/cluster-world.ts";

const mount = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
const disk = {
  containers: [{ image: "test/web", ...mount }],
  volumes: [{ name: "data", disk_name: "d1" }],
  port_mappings: [{ container_port: 8080 }],
};

let opened: OpenedEngine | undefined;

afterEach(async () => await opened?.close());

/** A service that writes to a disk, and a registry that has only the images in `pushed`, and sends those in `slow` late. */
async function runningShop(body: object = {}, instances = 100) {
  const pushed = new Set(["test/web"]);
  const slow = new Map<string, PromiseWithResolvers<void>>();
  const prepare: NonNullable<Runtime["prepare"]> = async ({ definition: { image } }, { note, signal }) => {
    note(`pulling the image ${image}`);
    const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await Promise.race([slow.get(image)?.promise, aborted]);
    if (!pushed.has(image)) throw new Error(`there is no image ${image}`);
  };
  const amount = { instances, memoryMib: 100_000, ports: 100, workloads: 100 };
  const world = makeClusterWorld({ quotas: { user: amount, host: amount }, runtime: () => ({ prepare }) });
  opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("shop", { ...disk, ...body });
  await dana.reaches("shop", "Running");
  const { started } = world.cluster;
  return {
    world,
    dana,
    pushed,
    slow,
    /** What ran first is still what runs, and nothing else was ever started. */
    isUntouched: () => started.length === 1 && started[0]?.isGone() === false,
    units: () => unitsOf(world.cluster),
    doubled: world.cluster.doubled,
    deploy: (...images: string[]) => dana.update("shop", { containers: images.map((image) => ({ image })) }),
    is: (state: string) =>
      world.until(async () => (await dana.read("shop")).rollout?.state === state, `it to be ${state}`),
  };
}

describe("where two instances must not run at once", () => {
  test.each([
    ["it writes to a disk", {}, 100],
    ["a quota has no room for both", { containers: [{ image: "test/web" }], volumes: [] }, 1],
  ])(
    "because %s, an image that can't be pulled changes nothing, and takes over once it is there",
    async (_, body, room) => {
      const { dana, pushed, deploy, is, isUntouched, units } = await runningShop(body, room);

      await deploy("test/lasting");
      await is("stuck");

      const message = "shop-0 couldn't be started: there is no image test/lasting";
      expect(await dana.read("shop")).toMatchObject({
        status: "Failed",
        ready_instances: 1,
        message,
        rollout: { state: "stuck", ready: 0, old_ready: 1, target: 1, message },
      });
      expect(isUntouched()).toBe(true);
      pushed.add("test/lasting");
      await is("done");
      expect(units()).toEqual(["shop-0 generation 1"]);
    },
  );

  test("the old instance runs until the image is there", async () => {
    const { world, dana, pushed, slow, deploy, is, isUntouched, units } = await runningShop();
    const registry = Promise.withResolvers<void>();
    slow.set("test/lasting", registry);
    pushed.add("test/lasting");

    await deploy("test/lasting");
    const waits = "shop-0 is waiting: pulling the image test/lasting";
    await world.until(async () => (await dana.read("shop")).message === waits, "the pull");

    expect(await dana.read("shop")).toMatchObject({ status: "Updating", ready_instances: 1 });
    expect(isUntouched()).toBe(true);
    registry.resolve();
    await is("done");
    expect(units()).toEqual(["shop-0 generation 1"]);
  });

  test("another image that can be pulled takes the place of one that can't", async () => {
    const { pushed, deploy, is, isUntouched, units } = await runningShop();
    pushed.add("test/lasting");
    await deploy("test/lines");
    await is("stuck");
    expect(isUntouched()).toBe(true);

    await deploy("test/lasting");
    await is("done");

    expect(units()).toEqual(["shop-0 generation 2"]);
  });

  test("going back while it waits for the image leaves the old instance alone", async () => {
    const { world, dana, slow, deploy, isUntouched } = await runningShop();
    slow.set("test/lasting", Promise.withResolvers());
    await deploy("test/lasting");
    await world.until(async () => (await dana.read("shop")).message !== undefined, "the pull");

    await dana.update("shop", { revision: 1 });
    await dana.reaches("shop", "Running");

    expect(isUntouched()).toBe(true);
    expect(await dana.read("shop")).toMatchObject({ revision: 3, ready_instances: 1, rollout: { state: "done" } });
  });

  test("a stop while it waits for the image stops everything", async () => {
    const { world, dana, slow, deploy, units } = await runningShop();
    slow.set("test/lasting", Promise.withResolvers());
    await deploy("test/lasting");
    await world.until(async () => (await dana.read("shop")).message !== undefined, "the pull");

    await dana.stop("shop");
    await dana.reaches("shop", "Stopped");

    expect(units()).toEqual([]);
  });
});

describe("two containers, of which one has no image", () => {
  test("keep the old instance until both could start", async () => {
    const containers = [
      { name: "web", image: "test/web", ...mount },
      { name: "helper", image: "test/web" },
    ];
    const { dana, pushed, deploy, is, units, doubled } = await runningShop({ containers });
    pushed.add("test/lasting");

    await deploy("test/lasting", "test/lines");
    await is("stuck");
    expect(await dana.read("shop")).toMatchObject({ ready_instances: 1, rollout: { ready: 0, old_ready: 1 } });
    expect(units()).toEqual(["shop-0 generation 0", "shop-0 generation 0"]);

    await deploy("test/lasting", "test/lasting");
    await is("done");
    expect(units()).toEqual(["shop-0 generation 2", "shop-0 generation 2"]);
    expect(doubled).toEqual([]);
  });
});
