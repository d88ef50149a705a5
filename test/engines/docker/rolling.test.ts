import { afterAll, describe, expect, test } from "vitest";
import { listen, shell, ticking } from "../../support/container-script.ts";
import { testDaemons } from "../../support/docker.ts";
import { killServiceProcesses } from "../../support/service-process.ts";
import { openLane } from "./support/lane.ts";

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`a restart of eight instances on ${daemon.title}`, () => {
    test("replaces two at once, tells how many are done, and all eight are ready at all times", async () => {
      await using lane = await openLane(daemon);
      const { world } = lane;
      await lane.start();
      const limits = { memory: 32 };
      // Old instances end at once and new ones need a second, so two that start at once are seen.
      const command = shell(`sleep 1; ${listen}; ${ticking}`);
      const containers = [{ image: daemon.image, command, resources: { limits } }];
      const body = { containers, port_mappings: [{ container_port: 8080 }], target_instance_size: 8 };
      await world.get("createService", { name: "eight", body });
      const read = () => world.get("getService", { name: "eight" });
      await world.until(read, ({ status, ready_instances: ready }) => status === "Running" && ready === 8);
      const before = new Set((await lane.containers()).map(({ id }) => id));

      await world.get("restartService", { name: "eight" });
      let [fewest, most] = [8, 0];
      const told = new Set<number>();
      await world.until(
        async () => {
          const service = await read();
          fewest = Math.min(fewest, service.ready_instances ?? 0);
          if (service.rollout?.ready !== undefined) told.add(service.rollout.ready);
          most = Math.max(most, (await lane.containers()).filter(({ state }) => state === "running").length);
          return service;
        },
        ({ status }) => status === "Running",
      );

      expect(fewest).toBe(8);
      expect(most).toBeGreaterThanOrEqual(10);
      expect(most).toBeLessThanOrEqual(12);
      expect([...told].every((count) => count <= 8)).toBe(true);
      expect(told.size).toBeGreaterThan(2);
      const after = await lane.containers();
      expect(after.map(({ id }) => before.has(id))).toEqual(after.map(() => false));
      expect(after).toHaveLength(8);
    });
  });
}
