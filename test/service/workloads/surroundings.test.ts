import { describe, expect, test } from "vitest";
import { answerShapes } from "../../../src/api/answers.ts";
import { serviceStatus } from "../../../src/api/workload-status.ts";
import { Away, type Runtime } from "../../../src/service/workloads/runtime.ts";
import { makeClusterWorld, unitsOf } from "../support/cluster-world.ts";
import type { MemoryUnit } from "../support/memory-runtime.ts";

const web = { containers: [{ image: "test/web" }], port_mappings: [{ container_port: 8080 }], target_instance_size: 2 };
/** A version goes back by itself after so many failures. */
const MANY = 5;

type World = ReturnType<typeof makeClusterWorld>;

async function running(world: World, body: object = {}) {
  const opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("web", { ...web, ...body });
  await dana.reaches("web", "Running");
  const rolls = (state: string) =>
    world.until(async () => (await dana.read("web")).rollout?.state === state, `the rollout to be ${state}`);
  return { ...opened, dana, rolls, deploy: () => dana.update("web", { containers: [{ image: "test/lasting" }] }) };
}

/** The unit that runs as this one, for example "web-0 generation 1". */
async function unitOf({ cluster, until }: World, name: string): Promise<MemoryUnit> {
  return await until(() => cluster.running()[unitsOf(cluster).indexOf(name)], name);
}

describe("an end while the cluster was away", () => {
  test("is no crash, however often it happens: the instance is started again, and its log says why it ended", async () => {
    const world = makeClusterWorld();
    const { dana, close } = await running(world);

    for (let outage = 0; outage < MANY; outage += 1) {
      (await unitOf(world, "web-0 generation 0")).takeDown(0);
      await world.until(() => world.cluster.running().length === 1, "its end");
    }
    await world.until(async () => (await dana.read("web")).message, "why it doesn't run");
    const down = await dana.read("web");
    await world.until(async () => (await dana.read("web")).ready_instances === 2, "it to be ready again");

    expect(down).toMatchObject({
      status: "Running",
      ready_instances: 1,
      message: "web-0 ended while the cluster didn't answer",
    });
    const after = await dana.read("web");
    expect(after).toMatchObject({ restart_count: 0, restarts: { count: 0 } });
    expect(after).not.toHaveProperty("last_state");
    expect(after).not.toHaveProperty("message");
    expect((await dana.logs("web")).map(({ log }) => log)).toContain(
      "[gantry] instance web-0 ended while the cluster didn't answer, restarting in 1 s",
    );
    await close();
  });

  test("makes no rollout stuck: the new version is healthy once the cluster leaves it alone", async () => {
    const world = makeClusterWorld({ answers: ({ spec }) => spec.generation === 0 || isOpen });
    let isOpen = false;
    const { dana, deploy, rolls, close } = await running(world);

    await deploy();
    const seen = new Set<string | undefined>();
    for (let outage = 0; outage < MANY; outage += 1) {
      const unit = await unitOf(world, "web-0 generation 1");
      unit.takeDown(137);
      await world.until(() => unit.isDiscarded(), "its end");
      seen.add((await dana.read("web")).rollout?.state);
    }
    isOpen = true;
    await rolls("done");

    expect([...seen]).toEqual(["progressing"]);
    expect(await dana.read("web")).toMatchObject({ status: "Running", restart_count: 0, revision: 2 });
    await close();
  });

  test("clears no version of its own crashes: the third one makes the rollout stuck", async () => {
    const world = makeClusterWorld({ answers: ({ spec }) => spec.generation === 0 });
    const { dana, deploy, rolls, close } = await running(world);

    await deploy();
    for (const end of ["crash", "outage", "crash", "outage"] as const) {
      const unit = await unitOf(world, "web-0 generation 1");
      if (end === "crash") unit.end(7);
      else unit.takeDown(0);
      await world.until(() => unit.isDiscarded(), "its end");
      expect((await dana.read("web")).rollout?.state).toBe("progressing");
    }
    (await unitOf(world, "web-0 generation 1")).end(7);
    await rolls("stuck");

    expect(await dana.read("web")).toMatchObject({ message: "web-0 exited with code 7", restart_count: 3 });
    await close();
  });

  test("uses up no attempt of a job, and one that had completed never runs again", async () => {
    const world = makeClusterWorld();
    const opened = await world.open({ jobRetries: 1 });
    const dana = world.userOf(opened);
    await dana.createJob("batch", { containers: [{ image: "test/lasting" }] });

    for (let outage = 0; outage < MANY; outage += 1) {
      const unit = await world.until(() => world.cluster.running()[0], "the job to run");
      unit.takeDown(143);
      await world.until(() => unit.isDiscarded(), "its end");
      expect(await dana.readJob("batch")).toMatchObject({
        restart_count: 0,
        message: "ended while the cluster didn't answer",
      });
    }
    (await world.until(() => world.cluster.running()[0], "the job to run")).takeDown(0);
    await dana.ends("batch");

    const { status } = await dana.readJob("batch");
    expect(status).toMatchObject({ succeeded: 1 });
    expect(status).not.toHaveProperty("failed");
    expect(world.cluster.started).toHaveLength(MANY + 1);
    await opened.close();
  });
});

describe("a start that can't be tried", () => {
  /** A registry that says this of `test/lasting`, as often as it is asked. */
  function registry(why: () => Error | undefined) {
    let asked = 0;
    const prepare: NonNullable<Runtime["prepare"]> = async ({ definition: { image } }) => {
      const error = image === "test/lasting" ? why() : undefined;
      if (!error) return;
      asked += 1;
      throw error;
    };
    return { prepare, asked: () => asked };
  }

  test("because the registry is away makes no rollout stuck, says why, and is tried until it succeeds", async () => {
    let isAway = true;
    const { prepare, asked } = registry(() => (isAway ? new Away("the registry can't be reached") : undefined));
    const world = makeClusterWorld({ runtime: () => ({ prepare }) });
    const { dana, deploy, rolls, close } = await running(world);

    await deploy();
    await world.until(() => asked() === MANY, "five attempts");
    const waiting = await dana.read("web");
    isAway = false;
    await rolls("done");

    const message = "web-0 couldn't be started: the registry can't be reached";
    expect(waiting).toMatchObject({
      status: "Updating",
      ready_instances: 2,
      message,
      rollout: { state: "progressing", message },
    });
    await close();
  });

  test("because there is no such image makes the rollout stuck at the third time", async () => {
    const { prepare, asked } = registry(() => new Error("there is no such image"));
    const world = makeClusterWorld({ runtime: () => ({ prepare }) });
    const { deploy, rolls, close } = await running(world);

    await deploy();
    await rolls("stuck");

    expect(asked()).toBe(3);
    await close();
  });
});

describe("the time to become ready", () => {
  test("stands still while the cluster doesn't answer", async () => {
    let answeredMs = 0;
    const world = makeClusterWorld({
      answers: ({ spec }) => spec.generation === 0,
      runtime: () => ({ answeredMs: () => answeredMs }),
    });
    const { dana, deploy, rolls, close } = await running(world);

    await deploy();
    await unitOf(world, "web-0 generation 1");
    await world.clock.passMs(10 * 60_000);
    expect((await dana.read("web")).rollout?.state).toBe("progressing");
    answeredMs += 20_000;
    await rolls("stuck");

    expect((await dana.read("web")).message).toBe("web-0 is waiting: it doesn't answer on its port");
    await close();
  });

  test("of one without ports isn't over before it is seen running: it may have ended while nobody could tell", async () => {
    let isSeen = true;
    const world = makeClusterWorld({ runs: () => isSeen });
    const { dana, deploy, rolls, close } = await running(world, { port_mappings: [] });

    isSeen = false;
    await deploy();
    await unitOf(world, "web-0 generation 1");
    await world.clock.passMs(10 * 60_000);
    expect((await dana.read("web")).rollout).toMatchObject({ state: "progressing", ready: 0, old_ready: 2 });
    isSeen = true;
    await rolls("done");
    await close();
  });
});

describe("a health check that fails later", () => {
  test("makes its instance unready, and the service fail when it goes on for long, until it passes again", async () => {
    const unwell = new Set<string>();
    const world = makeClusterWorld({ health: ({ spec }) => (unwell.has(spec.instance) ? "unhealthy" : "healthy") });
    const { dana, close } = await running(world);
    const read = async () => {
      const service = await dana.read("web");
      return { ...service, level: serviceStatus(answerShapes.getService.parse(service)).level };
    };
    await world.clock.passMs(60 * 60_000);
    expect(await read()).toMatchObject({ ready_instances: 2, level: "healthy" });

    unwell.add("web-1");
    await world.until(async () => (await read()).ready_instances === 1, "it to be noticed");
    const message = "web-1 is waiting: it doesn't pass its health check";
    expect(await read()).toMatchObject({ status: "Running", message, level: "busy" });
    await world.clock.passMs(15_000);
    expect(await read()).toMatchObject({ status: "Running", message, level: "busy" });
    await dana.reaches("web", "Failed");
    expect(await read()).toMatchObject({ message, ready_instances: 1, level: "failing", restart_count: 0 });

    unwell.clear();
    await dana.reaches("web", "Running");
    expect(await read()).toMatchObject({ ready_instances: 2, level: "healthy" });
    const told = (await dana.logs("web")).map(({ log }) => log).filter((line) => line.includes("health check"));
    expect(told).toEqual([
      "[gantry] instance web-1 doesn't pass its health check any more",
      "[gantry] instance web-1 passes its health check again",
    ]);
    await close();
  });

  test("doesn't make the service fail while the cluster is away", async () => {
    let answeredMs = 0;
    const unwell = new Set<string>();
    const world = makeClusterWorld({
      health: ({ spec }) => (unwell.has(spec.instance) ? "unhealthy" : "healthy"),
      runtime: () => ({ answeredMs: () => answeredMs }),
    });
    const { dana, close } = await running(world);

    unwell.add("web-1");
    await world.until(async () => (await dana.read("web")).ready_instances === 1, "it to be noticed");
    await world.clock.passMs(10 * 60_000);
    expect((await dana.read("web")).status).toBe("Running");

    answeredMs += 20_000;
    await dana.reaches("web", "Failed");
    await close();
  });
});

test("instances that ended with their server come back in the version that was ready, and the rollout is stuck again", async () => {
  const world = makeClusterWorld({
    answers: ({ spec }) => spec.definition.image === "test/web",
    runtime: () => ({ adopt: async () => [] }),
  });
  const first = await running(world);
  await first.deploy();
  await first.rolls("stuck");
  await first.close({ keepWorkloads: true });
  for (const unit of world.cluster.running()) unit.end(137);

  const second = await world.open();
  const dana = world.userOf(second);
  await world.until(async () => (await dana.read("web")).rollout?.state === "stuck", "the rollout to be stuck");

  expect(await dana.read("web")).toMatchObject({ ready_instances: 2, rollout: { ready: 0, old_ready: 2 } });
  const images = world.cluster.running().map(({ spec }) => `${spec.instance} ${spec.definition.image}`);
  expect(images.toSorted()).toEqual(["web-0 test/lasting", "web-0 test/web", "web-1 test/web"]);
  await second.close();
});
