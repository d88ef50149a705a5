import { afterEach, expect, test } from "vitest";
import { answerShapes } from "../../../../src/api/answers.ts";
import type { NewService } from "../../../../src/api/schema.ts";
import { serviceStatus } from "../../../../src/api/workload-status.ts";
import type { OpenedEngine } from "../../../../src/service/engine.ts";
import type { Runtime } from "../../../../src/service/workloads/runtime.ts";
import { makeClusterWorld } from "../../support/cluster-world.ts";

const web: NewService = { containers: [{ image: "test/web" }], target_instance_size: 1 };

let opened: OpenedEngine | undefined;

afterEach(async () => await opened?.close());

/** An engine whose runtime fetches images by `prepare`. Only one unit at a time may be starting. */
async function engineThatPrepares(prepare: NonNullable<Runtime["prepare"]>) {
  const world = makeClusterWorld({ runtime: () => ({ prepare }), startsAtOnce: 1 });
  opened = await world.open();
  return { world, dana: world.userOf(opened, "us"), started: world.cluster.started, close: opened.close };
}

/** A registry that sends nothing until it is told to, and how many pulls were cancelled. */
function slowRegistry() {
  const sent = Promise.withResolvers<void>();
  const seen = { cancelled: 0 };
  const prepare: NonNullable<Runtime["prepare"]> = async ({ definition }, { signal, note }) => {
    if (definition.image === "test/lines") return;
    note(`pulling the image ${definition.image}`);
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => {
      seen.cancelled += 1;
      aborted.reject(signal.reason);
    });
    await Promise.race([sent.promise, aborted.promise]);
  };
  return { prepare, send: () => sent.resolve(), cancelled: () => seen.cancelled };
}

test("a service says that it waits for its image, in its message and its log, until it runs", async () => {
  const registry = slowRegistry();
  const { world, dana } = await engineThatPrepares(registry.prepare);
  await dana.create("shop", web);

  const waiting = await world.until(async () => {
    const service = await dana.read("shop");
    return service.message === undefined ? undefined : service;
  }, "what it waits for");
  const lines = await dana.logs("shop");
  registry.send();
  await dana.reaches("shop", "Running");
  const running = await dana.read("shop");

  const message = "shop-0 is waiting: pulling the image test/web";
  expect(waiting).toMatchObject({ status: "Starting", message, restart_count: 0, ready_instances: 0 });
  expect(lines).toMatchObject([{ log: "[gantry] pulling the image test/web" }]);
  expect(running).not.toHaveProperty("message");
});

test("a job says that it waits for its image until it runs", async () => {
  const registry = slowRegistry();
  const { world, dana } = await engineThatPrepares(registry.prepare);
  await dana.createJob("nightly", { containers: [{ image: "test/lasting" }] });

  const waiting = await world.until(async () => (await dana.readJob("nightly")).message, "what it waits for");
  registry.send();
  await world.until(async () => (await dana.readJob("nightly")).message === undefined, "the job to run");

  expect(waiting).toBe("pulling the image test/lasting");
});

test("a slow registry holds up no workload whose image is there", async () => {
  const { dana, started } = await engineThatPrepares(slowRegistry().prepare);
  await dana.create("shop", web);
  await dana.createJob("quick", { containers: [{ image: "test/lines", command: ["3"] }] });

  await dana.ends("quick");

  expect(started.map(({ spec }) => spec.instance)).not.toContain("shop-0");
});

test("a service that is deleted while it waits for its image stops waiting", async () => {
  const registry = slowRegistry();
  const { world, dana, started } = await engineThatPrepares(registry.prepare);
  await dana.create("shop", web);
  await world.until(async () => (await dana.read("shop")).message, "it to wait");

  await dana.remove("shop");

  expect(registry.cancelled()).toBe(1);
  expect(started).toEqual([]);
});

test("the engine closes while a workload waits for its image", async () => {
  const registry = slowRegistry();
  const { world, dana, close } = await engineThatPrepares(registry.prepare);
  await dana.create("shop", web);
  await dana.createJob("nightly", { containers: [{ image: "test/lasting" }] });
  await world.until(async () => (await dana.readJob("nightly")).message, "it to wait");

  await close({ keepWorkloads: true });

  expect(registry.cancelled()).toBe(2);
});

test("an image that can't be had is the message of a failed service, and of a job until it starts", async () => {
  let isThere = false;
  const { world, dana } = await engineThatPrepares(async (_, { note }) => {
    note("pulling the image");
    if (!isThere) throw new Error("there is no such image");
  });
  await dana.create("shop", web);
  await dana.createJob("nightly", { containers: [{ image: "test/lasting" }] });

  await dana.reaches("shop", "Failed");
  const failed = await dana.read("shop");
  const messages = [failed.message, (await dana.readJob("nightly")).message];
  isThere = true;
  await dana.reaches("shop", "Running");
  await world.until(async () => (await dana.readJob("nightly")).message === undefined, "the job to run");

  expect(messages).toEqual([
    "shop-0 couldn't be started: there is no such image",
    "couldn't be started: there is no such image",
  ]);
  // It never ran, so it was never restarted.
  expect(failed).toMatchObject({ restart_count: 0, ready_instances: 0 });
  expect(failed).not.toHaveProperty("last_state");
  expect(failed.restarts?.count ?? 0).toBe(0);
  expect(serviceStatus(answerShapes.getService.parse(failed))).toMatchObject({
    level: "failing",
    cause: "image",
  });
});
