import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDaemons } from "../../../support/docker.ts";
import { killServiceProcesses } from "../../support/service-process.ts";
import { type Lane, openLane } from "../support/lane.ts";
import { shell } from "../support/shell.ts";

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  const { title, missing, kind, image } = daemon;
  describe.skipIf(missing !== undefined)(`workloads that fail on ${title}`, () => {
    let lane: Lane | undefined;
    beforeAll(async () => {
      lane = await openLane(daemon);
      await lane.start();
    });
    afterAll(() => lane?.[Symbol.asyncDispose]());

    // Podman doesn't tell why a container was killed, so nobody says that it was the memory.
    const end =
      kind === "docker"
        ? { reason: "OOMKilled", exit_code: 137, said: "exited with code 137 (out of memory)" }
        : { reason: "Error", exit_code: 137, said: "exited with code 137" };
    const greedy = { image, command: ["sh", "-c", "exec tail /dev/zero"], resources: { limits: { memory: 16 } } };

    test("a service that uses more memory than its limit is killed, restarted, and says so", async () => {
      const { world } = lane as Lane; // opened before
      await world.get("createService", { name: "greedy", body: { containers: [greedy] } });

      const { last_state, restarts } = await world.until(
        () => world.get("getService", { name: "greedy" }),
        ({ restart_count: count = 0 }) => count > 0,
      );

      expect(last_state).toMatchObject({ reason: end.reason, exit_code: end.exit_code });
      expect(restarts?.last_reason).toContain(end.said);
      await world.get("deleteService", { name: "greedy" });
    });

    test("a crash loop is Failed and says why; at no time are there two containers", async () => {
      const { world, containers } = lane as Lane; // opened before
      const looping = { image, command: shell("echo up; exit 3") };
      await world.get("createService", { name: "looping", body: { containers: [looping] } });
      let most = 0;

      const failed = await world.until(
        async () => {
          most = Math.max(
            most,
            (await containers()).filter(({ labels }) => labels["gantry.instance"] === "looping-0").length,
          );
          return await world.get("getService", { name: "looping" });
        },
        ({ status }) => status === "Failed",
      );

      expect(failed).toMatchObject({ message: "looping-0 exited with code 3", last_state: { exit_code: 3 } });
      expect(most).toBe(1);
      await world.get("deleteService", { name: "looping" });
    });
  });
}
