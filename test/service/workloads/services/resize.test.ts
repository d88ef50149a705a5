import { expect, test } from "vitest";
import { enforcedMib } from "../../../../src/service/engines/docker/container-spec.ts";
import { makeClusterWorld, unitsOf } from "../../support/cluster-world.ts";

const web = {
  containers: [{ image: "test/web", resources: { limits: { memory: 256 } } }],
  port_mappings: [{ container_port: 8080 }],
  target_instance_size: 2,
};
const memoryOf = (memory: 512 | 1024) => ({ containers: [{ resources: { limits: { memory } } }] });

/** A cluster that refuses to change the limit of the units in `refused`: `web-0 generation 0`. */
function makeWorld(refused: ReadonlySet<string> = new Set()) {
  const world = makeClusterWorld({
    resizes: ({ spec }) => !refused.has(`${spec.instance} generation ${spec.generation}`),
  });
  return { ...world, limits: () => world.cluster.running().map(({ limitMib }) => limitMib) };
}

async function runningWeb(world: ReturnType<typeof makeWorld>) {
  const opened = await world.open();
  const dana = world.userOf(opened);
  await dana.create("web", web);
  await dana.reaches("web", "Running");
  return { ...opened, dana };
}

test("another memory limit reaches instances while they run; none is started again, and one that crashes keeps it", async () => {
  const world = makeWorld();
  const { dana, close } = await runningWeb(world);

  await dana.update("web", memoryOf(512));
  await dana.reaches("web", "Running");

  expect(world.limits()).toEqual([512, 512]);
  expect(world.cluster.started).toHaveLength(2);
  const log = (await dana.logs("web")).map((line) => line.log);
  expect(log).toContain("[gantry] instance web-0: its memory limit is 512 MiB now; it wasn't restarted for that");
  world.cluster.running()[0]?.end(1);
  await world.until(() => world.cluster.started.length === 3 && world.limits().length === 2, "another start");
  expect(world.limits()).toEqual([512, 512]);
  await close();
});

test("an instance whose limit can't be changed is replaced by one beside it, the others run on", async () => {
  const world = makeWorld(new Set(["web-1 generation 0"]));
  const { dana, close } = await runningWeb(world);

  await dana.update("web", memoryOf(512));
  await dana.reaches("web", "Running");

  expect(unitsOf(world.cluster)).toEqual(["web-0 generation 0", "web-1 generation 1"]);
  expect(world.limits()).toEqual([512, 512]);
  await dana.restart("web");
  await dana.reaches("web", "Running");
  expect(unitsOf(world.cluster)).toEqual(["web-0 generation 2", "web-1 generation 2"]);
  expect(world.cluster.doubled).toEqual([]);
  await close();
});

test("a limit that is enforced without having been asked for is said, and never shown as the service's own", async () => {
  const world = makeClusterWorld({ runtime: () => ({ enforcedMib }) });
  const { engine, close } = await world.open();
  const dana = world.userOf({ engine });
  const [without, little] = [{ image: "test/web" }, { image: "test/web", resources: { limits: { memory: "4" } } }];
  const created = await dana.create("web", { containers: [without, little, ...web.containers] });
  await dana.createJob("once", { containers: [without, { ...little, resources: { limits: { memory: "4Mi" } } }] });

  const expected = [
    { enforced: { memory: "512" } },
    { limits: { memory: "4" }, enforced: { memory: "6" } },
    { limits: { memory: "256" } },
  ];
  const { containers = [] } = await dana.read("web");
  const [listed] = (await dana.list()).services;
  const job = await dana.readJob("once");
  for (const each of [created.containers, containers, listed?.containers]) {
    expect(each?.map(({ resources }) => resources)).toEqual(expected);
  }
  expect(job.spec?.template?.spec?.containers?.map(({ resources }) => resources)).toEqual([
    { enforced: { memory: "512" } },
    { limits: { memory: "4Mi" }, enforced: { memory: "6" } },
  ]);
  await dana.update("web", memoryOf(512));
  expect((await dana.read("web")).containers?.[0]?.resources).toEqual({ limits: { memory: "512" } });
  await close();
});

test("a stopped service starts with the limit that it was given", async () => {
  const world = makeWorld();
  const { dana, close } = await runningWeb(world);
  await dana.stop("web");
  await dana.reaches("web", "Stopped");

  await dana.update("web", memoryOf(1024));
  expect(unitsOf(world.cluster)).toEqual([]);
  await dana.start("web");
  await dana.reaches("web", "Running");

  expect(world.limits()).toEqual([1024, 1024]);
  await close();
});

test.each([
  ["is changed", [], ["web-0 generation 0", "web-1 generation 0"]],
  ["is replaced if that can't be done", ["web-0 generation 0"], ["web-1 generation 0", "web-0 generation 1"]],
])("an instance that a server left with another limit %s", async (_, refused, expected) => {
  const world = makeWorld(new Set(refused));
  const first = await runningWeb(world);
  await first.close({ keepWorkloads: true });
  const [unit] = world.cluster.running();
  if (unit) unit.limitMib = 128;

  const second = await world.open();
  await world.until(() => world.limits().every((mib) => mib === 256) && world.limits().length === 2, "the limit");
  await world.userOf(second).reaches("web", "Running");

  expect(unitsOf(world.cluster)).toEqual(expected);
  await second.close();
});

test("where limits can't be changed at all, instances are replaced one after the other", async () => {
  const world = makeClusterWorld();
  const { engine, close } = await world.open();
  const dana = world.userOf({ engine });
  await dana.create("web", web);
  await dana.reaches("web", "Running");

  await dana.update("web", memoryOf(512));
  await dana.reaches("web", "Running");

  expect(world.cluster.running().map(({ spec }) => spec.definition.memoryMib)).toEqual([512, 512]);
  expect(world.cluster.started.map(({ spec }) => `${spec.instance} ${spec.generation}`)).toEqual([
    "web-0 0",
    "web-1 0",
    "web-0 1",
    "web-1 1",
  ]);
  await close();
});
