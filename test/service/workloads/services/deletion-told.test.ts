import { expect, test } from "vitest";
import { makeClusterWorld } from "../../support/cluster-world.ts";

const signal = new AbortController().signal;

test("whoever reads only what changed learns that a service is gone, however long its deletion takes", async () => {
  const cleared = Promise.withResolvers<void>();
  const world = makeClusterWorld({ runtime: () => ({ clear: () => cleared.promise }) });
  const { engine, changes, close } = await world.open();
  const dana = world.userOf({ engine }, "us");
  await dana.create("web", { containers: [{ image: "test/web" }] });
  await dana.remove("web");
  const asked = { username: "dana", region: "us", signal };
  const { cursor } = await changes({ ...asked, after: undefined, waitMs: 0 });
  expect((await dana.list()).services).toMatchObject([{ name: "web", status: "Deleting" }]);

  const told = changes({ ...asked, after: cursor, waitMs: 24 * 60 * 60_000 });
  cleared.resolve();
  await world.until(async () => (await dana.list()).services.length === 0, "it to be gone");
  await world.clock.passMs(1_000);

  expect((await told).changed).toEqual(["service"]);
  expect((await dana.list()).services).toEqual([]);
  await close();
});

test("a deletion answers that it is done only when it is; else it says what still ends", async () => {
  const cleared = Promise.withResolvers<void>();
  let isHeld = true;
  const world = makeClusterWorld({
    runtime: () => ({ clear: async () => (isHeld ? await cleared.promise : undefined) }),
  });
  const { engine, close } = await world.open();
  const dana = world.userOf({ engine }, "us");
  const containers = [{ image: "test/web" }];
  for (const name of ["web", "api"]) await dana.create(name, { containers });
  for (const name of ["report", "backup"]) await dana.createJob(name, { containers });

  expect(await dana.remove("web")).toMatch(/^Service is being deleted: its instances are still stopping\./u);
  expect(await dana.removeJob("report")).toEqual({ jobName: "report", message: "Its instances are still stopping." });

  isHeld = false;
  cleared.resolve();
  expect(await dana.remove("api")).toBe("Service was deleted successfully");
  expect(await dana.removeJob("backup")).toEqual({ jobName: "backup" });
  await close();
});
