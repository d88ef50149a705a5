import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Service } from "../../../../src/api/schema.ts";
import { testDaemons } from "../../../support/docker.ts";
import { isLong } from "../../support/long.ts";
import { killServiceProcesses } from "../../../support/service-process.ts";
import { serviceBody } from "../kill/changes.ts";
import { wrongContainers, wrongLog } from "../kill/inspect.ts";
import { unreachable } from "../kill/round.ts";
import { type Lane, openLane } from "../support/lane.ts";

const times = isLong ? 5 : 1;

type Action = { readonly done: string; readonly method: "POST" | "DELETE"; readonly path: string };

/** What somebody does to one of two containers, with `docker` itself. */
const actions: readonly Action[] = [
  { done: "removed", method: "DELETE", path: "?force=1" },
  { done: "stopped", method: "POST", path: "/stop?t=5" },
  { done: "killed", method: "POST", path: "/kill" },
  { done: "restarted", method: "POST", path: "/restart?t=5" },
];

afterAll(killServiceProcesses);

for (const daemon of await testDaemons()) {
  describe.skipIf(daemon.missing !== undefined)(`containers that somebody touches on ${daemon.title}`, () => {
    let lane: Lane | undefined;
    beforeAll(async () => {
      lane = await openLane(daemon);
      await lane.start();
    });
    afterEach(async () => {
      if (!lane) return;
      const { world, containers } = lane;
      // One that a test deleted may go between the list and its deletion.
      for (const { name } of (await world.get("listServices")).services) await world.ask("deleteService", { name });
      await world.until(containers, (now) => now.length === 0);
    });
    afterAll(() => lane?.[Symbol.asyncDispose]());

    const running = async (ours: Lane, name: string): Promise<Service> =>
      await ours.world.until(
        () => ours.world.get("getService", { name }),
        ({ status, ready_instances: ready }) => status === "Running" && ready === 2,
      );

    test.for(actions)(`one that was $done runs again, the other one ran on (${times} times)`, async (action) => {
      const ours = lane as Lane; // opened before
      for (let round = 0; round < times; round += 1) {
        const name = `${action.done}${round}`;
        await ours.world.get("createService", { name, body: serviceBody(2) });
        await running(ours, name);
        const [touched, other] = await ours.containers();

        // Docker refuses to start a container again that Gantry has replaced by then.
        await daemon.call({ method: action.method, path: `/containers/${touched?.id}${action.path}` });

        // It is noticed at once, or the same container runs again.
        await ours.world.until(ours.containers, (now) => now.filter(({ state }) => state === "running").length === 2);
        const service = await running(ours, name);
        const reply = await ours.world.ask("getService", { name });
        const containers = await ours.containers();
        // A program that somebody restarts in its container counts from 1 again.
        const log = (await wrongLog(ours, name, containers)).filter(
          (wrong) => action.done !== "restarted" || !wrong.endsWith("is tick 1"),
        );
        expect(containers.map(({ id }) => id)).toContain(other?.id);
        if (action.done === "removed")
          expect(service.restarts?.last_reason).toMatch(/-\d was removed outside Gantry$/u);
        expect([...(await wrongContainers(ours, reply)), ...log, ...(await unreachable(service))]).toEqual([]);
        await ours.world.get("deleteService", { name });
        await ours.world.until(ours.containers, (now) => now.length === 0);
      }
    });

    test("one that was paused isn't ready and says why, and is stopped and removed like any other", async () => {
      const ours = lane as Lane; // opened before
      await ours.world.get("createService", { name: "paused", body: serviceBody(2) });
      await running(ours, "paused");
      const [touched] = await ours.containers();

      await daemon.must({ method: "POST", path: `/containers/${touched?.id}/pause` });
      const { message } = await ours.world.until(
        () => ours.world.get("getService", { name: "paused" }),
        ({ ready_instances: ready }) => ready === 1,
      );
      expect(message).toMatch(/^paused-\d is waiting: somebody paused its container$/u);
      await daemon.must({ method: "POST", path: `/containers/${touched?.id}/unpause` });
      expect((await running(ours, "paused")).message).toBeUndefined();

      await daemon.must({ method: "POST", path: `/containers/${touched?.id}/pause` });
      await ours.world.get("deleteService", { name: "paused" });

      expect(await ours.world.until(ours.containers, (now) => now.length === 0)).toEqual([]);
    });

    test("a container of somebody else on the same daemon is neither listed nor touched", async () => {
      const ours = lane as Lane; // opened before
      const theirs = `gantry.test=${process.pid}`;
      const Labels = { "gantry.test": String(process.pid), "gantry.owner": "0000000000000000" };
      const body = { Image: daemon.image, Cmd: ["sleep", "600"], Labels };
      const { Id: id } = (await daemon.must({ method: "POST", path: "/containers/create", body })) as { Id: string }; // Docker's API
      try {
        await daemon.must({ method: "POST", path: `/containers/${id}/start` });

        await ours.kill();
        await ours.start();

        const left = async () => (await ours.world.get("listServices")).services;
        expect(await ours.world.until(left, (services) => services.length === 0)).toEqual([]);
        expect(await daemon.containersWith(theirs)).toMatchObject([{ id, state: "running" }]);
      } finally {
        await daemon.removeWith(theirs);
      }
    });
  });
}
