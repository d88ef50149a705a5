import { afterAll, describe, expect, test } from "vitest";
import { quotasFor } from "../../../../src/service/workloads/quota.ts";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, roomy, until, userOf } from "./support/engine-world.ts";

const closers: (() => Promise<void>)[] = [];
afterAll(async () => void (await Promise.all(closers.map((close) => close()))));

async function engineWith(quotas: object) {
  const { engine, close } = await openEngine(makeDataDir(), { quotas: { ...roomy, ...quotas } });
  closers.push(close);
  return engine;
}

const worker = { containers: [{ image: "gantry/worker" }] };
const lasting = { containers: [{ image: "gantry/batch", command: ["1000", "--delay", "1000"] }] };

describe("a user's instances", () => {
  test("every way to exceed a quota gets a 403 with the numbers", async () => {
    const dana = userOf(await engineWith({ userInstances: 3 }));
    await dana.create("web", { ...worker, target_instance_size: 2 });
    await dana.create("off", { ...worker, target_instance_size: 0 });
    await dana.reaches("web", "Running");
    await dana.reaches("off", "Running");
    await dana.stop("off");
    await dana.update("off", { target_instance_size: 5 });

    const said = await Promise.allSettled([
      dana.create("more", { ...worker, target_instance_size: 2 }),
      dana.create("huge", { ...worker, target_instance_size: 10_000 }),
      dana.update("web", { target_instance_size: 4 }),
      dana.start("off"),
      dana.create("wide", { containers: [...worker.containers, ...worker.containers] }),
    ]);

    const refused = "This user may run 3 instances; 2 are in use, and this request needs";
    expect(
      said.map((each) => (each.status === "rejected" ? `${each.reason.status} ${each.reason.message}` : each)),
    ).toEqual([2, 10_000, 2, 5, 2].map((more) => `403 ${refused} ${more} more. Nothing was changed.`));
    expect((await dana.list()).services.map(({ name, target_instance_size: size }) => [name, size])).toEqual([
      ["web", 2],
      ["off", 5],
    ]);
  });

  test("a job counts while it runs, and no longer when it is over or deleted", async () => {
    const dana = userOf(await engineWith({ userInstances: 1 }));
    await dana.createJob("long", lasting);
    await expect(dana.createJob("second", lasting)).rejects.toMatchObject({ status: 403 });
    await dana.removeJob("long");
    await dana.createJob("short", { containers: [{ image: "gantry/batch", command: ["1", "--delay", "1"] }] });
    await dana.ends("short");

    await dana.create("web", worker);

    await expect(dana.createJob("third", lasting)).rejects.toMatchObject({ status: 403 });
    await dana.remove("web");
    await dana.createJob("third", lasting);
  });

  test("taking less always fits, and frees at once what others may take", async () => {
    const engine = await engineWith({ userInstances: 3, hostInstances: 4 });
    const [dana, alex] = [userOf(engine), userOf(engine, "alex")];
    await dana.create("web", { ...worker, target_instance_size: 3 });
    await dana.reaches("web", "Running");
    await expect(alex.create("web", { ...worker, target_instance_size: 2 })).rejects.toMatchObject({
      status: 403,
      message: "This host may run 4 instances; 3 are in use, and this request needs 2 more. Nothing was changed.",
    });

    await dana.update("web", { target_instance_size: 1 });

    await alex.create("web", { ...worker, target_instance_size: 2 });
    await alex.reaches("web", "Running");
  });
});

test("a job that ends well because it was deleted leaves its place to the next one", async () => {
  const dana = userOf(await engineWith({ userWorkloads: 1 }));
  for (const name of ["first", "second"]) {
    await dana.createJob(name, worker);
    await until(
      async () => (await dana.jobLogs(name)).length > 0,
      "the worker, which exits with 0 when it is told to stop",
    );
    await dana.removeJob(name);
  }

  await expect(dana.createJob("third", worker)).resolves.toBeDefined();
});

test("memory is reserved by limit, and 64 MiB without one", async () => {
  const dana = userOf(await engineWith({ userMemoryMib: 1_000 }));
  const limited = (memory: number) => ({ containers: [{ image: "gantry/worker", resources: { limits: { memory } } }] });
  await dana.create("web", limited(900));
  await dana.reaches("web", "Running");

  await expect(dana.create("next", limited(200))).rejects.toMatchObject({
    status: 403,
    message:
      "This user may reserve 1000 MiB of memory; 900 MiB are in use, and this request needs 200 MiB more. Nothing was changed.",
  });
  await expect(
    dana.update("web", { containers: [{ resources: { limits: { memory: 1_024 } } }] }),
  ).rejects.toMatchObject({
    status: 403,
  });
  await dana.create("small", worker);
  await expect(dana.create("other", worker)).rejects.toMatchObject({ status: 403 });
});

test("after a start with a lower quota the oldest run; the others show the reason and can be scaled down", async () => {
  const dataDir = makeDataDir();
  const before = await openEngine(dataDir);
  const first = userOf(before.engine);
  await first.create("old", { ...worker, target_instance_size: 2 });
  await first.create("new", { ...worker, target_instance_size: 2 });
  await first.reaches("new", "Running");
  await before.close();

  const { engine, close } = await openEngine(dataDir, { quotas: { ...roomy, userInstances: 3 } });
  closers.push(close);
  const dana = userOf(engine);
  await dana.reaches("old", "Running");

  expect(await dana.read("new")).toMatchObject({
    status: "Failed",
    message: "This user may run 3 instances; 2 are in use, and this request needs 2 more.",
  });
  await dana.update("new", { target_instance_size: 1 });
  await dana.reaches("new", "Running");
  expect(await dana.read("new")).not.toHaveProperty("message");
});

describe("without settings", () => {
  test.each([
    [{ memoryMib: 16_384, openFiles: 1_048_576 }, [50, 8_192, 200, 12_288]],
    [{ memoryMib: 2_048, openFiles: 256 }, [25, 1_024, 25, 1_536]],
    [{ memoryMib: 1, openFiles: 1 }, [1, 1, 1, 1]],
  ])("the machine decides: %j", (machine, expected) => {
    const { user, host } = quotasFor({}, machine);
    expect([user.instances, user.memoryMib, host.instances, host.memoryMib]).toEqual(expected);
  });
});
