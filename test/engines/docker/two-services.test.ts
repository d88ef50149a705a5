import { afterAll, describe, expect, test } from "vitest";
import { testDaemons } from "../../support/docker.ts";
import { killServiceProcesses } from "../../support/service-process.ts";
import { jobBody, serviceBody } from "./kill/changes.ts";
import { unreachable } from "./kill/round.ts";
import { type Lane, openLane } from "./support/lane.ts";

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`two services on ${daemon.title}`, () => {
    const ids = async ({ containers }: Lane) => (await containers()).map(({ id }) => id).toSorted();
    const running = ({ world }: Lane) =>
      world.until(
        () => world.get("getService", { name: "web" }),
        ({ status }) => status === "Running",
      );

    test("workloads of the same names: neither touches the other's at restarts, changes and deletions", async () => {
      await using ours = await openLane(daemon);
      await using theirs = await openLane(daemon);
      for (const lane of [ours, theirs]) {
        await lane.start();
        await lane.world.get("createService", { name: "web", body: serviceBody() });
        await lane.world.get("createJob", { name: "once", body: jobBody });
      }
      const addresses = [await running(ours), await running(theirs)].map(
        ({ port_mappings: ports }) => ports?.[0]?.service_url,
      );
      expect(new Set(addresses).size).toBe(2);
      for (const { world } of [ours, theirs]) {
        await world.until(
          () => world.get("getJob", { name: "once" }),
          ({ status }) => status?.succeeded === 1,
        );
      }
      await theirs.world.until(theirs.containers, (now) => now.length === 1);
      const before = await ids(theirs);

      await ours.kill();
      await ours.start();
      await ours.world.get("restartService", { name: "web" });
      await running(ours);
      await ours.world.get("deleteService", { name: "web" });
      await ours.world.get("deleteJob", { name: "once" });
      await ours.world.until(ours.containers, (now) => now.length === 0);

      expect(await ids(theirs)).toEqual(before);
      expect(await theirs.containers()).toMatchObject([{ state: "running" }]);
      expect(await unreachable(await running(theirs))).toEqual([]);
      await theirs.kill();
      await theirs.start();
      await running(theirs);
      expect(await ids(theirs)).toEqual(before);
      expect(await ours.containers()).toEqual([]);
    });
  });
}
