import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { expectRefusal } from "./refusal.ts";
import type { World } from "./world.ts";
import {
  answers,
  definitionOf,
  logOf,
  runningService,
  serviceThatIs,
  startsOf,
  startsReach,
  stoppedService,
  total,
  urlOf,
  webBody,
} from "./web-service.ts";

const moves = ["startService", "stopService", "restartService"] as const;
type Move = (typeof moves)[number];

/** The move is refused, and says why. */
async function expectConflict(world: World, move: Move, name: string) {
  expectRefusal(await world.ask(move, { name }), { status: 409, naming: name, of: move });
}

function refusedToOthers(operation: Move): ContractCase {
  return {
    operation,
    title: "touches nobody else's service",
    needsPods: true,
    async run(world) {
      const name = operation === "startService" ? await stoppedService(world) : await runningService(world);
      // Which image its instances run may become known meanwhile.
      const seen = async () => {
        const service = await world.get("getService", { name });
        return { ...definitionOf(service), status: service.status, revision: service.revision };
      };
      const before = await seen();

      expectRefusal(await world.ask(operation, { name, user: world.user2 }), { status: 404 });

      expect(await seen()).toEqual(before);
    },
  };
}

export const serviceMoveCases: readonly ContractCase[] = [
  ...moves.map(refusedToOthers),
  {
    operation: "startService",
    title: "answers 409 while the service is starting, and says so before anybody asks",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      await world.get("createService", { name, body: webBody(world) });

      await expectConflict(world, "startService", name);

      const starting = await world.get("getService", { name });
      if (starting.status === "Starting") {
        expect(starting.refused_operations).toMatchObject([{ operation: "startService" }]);
      }
      await serviceThatIs(world, name, "Running");
      expect(total(await startsReach(world, name, 1))).toBe(1);
    },
  },
  {
    operation: "stopService",
    title: "stops what still starts, and can be taken back while it stops",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      await world.get("createService", { name, body: webBody(world, { target_instance_size: 2 }) });

      expect(await world.get("stopService", { name })).toEqual({});
      expect(await world.get("startService", { name })).toEqual({});

      await answers(world, await serviceThatIs(world, name, "Running"));
      expect(await world.get("getService", { name })).toMatchObject({ target_instance_size: 2 });
      await world.get("stopService", { name });
      await serviceThatIs(world, name, "Stopped");
    },
  },
  {
    operation: "restartService",
    title: "works while the service is starting",
    needsPods: true,
    async run(world) {
      const name = world.newName("web");
      await world.get("createService", { name, body: webBody(world) });

      expect(await world.get("restartService", { name })).toEqual({});

      await answers(world, await serviceThatIs(world, name, "Running"));
    },
  },
  {
    operation: "stopService",
    title: "ends every instance and keeps the definition; nobody answers and nothing is written any more",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });
      const before = await world.get("getService", { name });
      await answers(world, before);

      expect(await world.get("stopService", { name })).toEqual({});

      const after = await serviceThatIs(world, name, "Stopped");
      expect(definitionOf(after)).toEqual(definitionOf(before));
      await expect(world.reach(urlOf(before))).rejects.toThrow(Error);
      const settled = await settledLog(world, name);
      expect(await logOf(world, name)).toEqual(settled);
    },
  },
  {
    operation: "stopService",
    title: "answers 409 when the service is stopped",
    needsPods: true,
    async run(world) {
      const name = await stoppedService(world);

      await expectConflict(world, "stopService", name);

      expect(await world.get("getService", { name })).toMatchObject({ status: "Stopped" });
    },
  },
  {
    operation: "startService",
    title: "starts what was stopped: as many instances, at the same address",
    needsPods: true,
    async run(world) {
      const name = await stoppedService(world, { target_instance_size: 2 });
      const before = await world.get("getService", { name });
      const starts = total(await startsOf(world, name));

      expect(await world.get("startService", { name })).toEqual({});

      const after = await serviceThatIs(world, name, "Running");
      expect(definitionOf(after)).toEqual(definitionOf(before));
      expect(total(await startsReach(world, name, starts + 2))).toBe(starts + 2);
      await answers(world, after);
    },
  },
  {
    operation: "startService",
    title: "answers 409 when the service is running",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);
      const starts = total(await startsReach(world, name, 1));

      await expectConflict(world, "startService", name);

      expect(await world.get("getService", { name })).toMatchObject({ status: "Running" });
      expect(total(await startsOf(world, name))).toBe(starts);
    },
  },
  {
    operation: "restartService",
    title: "starts every instance anew, and nothing else changes",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });
      const before = await world.get("getService", { name });
      const starts = await startsReach(world, name, 2);

      expect(await world.get("restartService", { name })).toEqual({});

      const again = await startsReach(world, name, total(starts) + 2);
      expect(total(again)).toBe(total(starts) + 2);
      expect(definitionOf(await serviceThatIs(world, name, "Running"))).toEqual(definitionOf(before));
      await answers(world, before);
    },
  },
  {
    operation: "restartService",
    title: "answers 409 when the service is stopped, and leaves it so",
    needsPods: true,
    async run(world) {
      const name = await stoppedService(world);

      await expectConflict(world, "restartService", name);

      expect(await world.get("getService", { name })).toMatchObject({ status: "Stopped" });
    },
  },
];

/** The log once it has not grown for longer than two heartbeats of the web service. */
async function settledLog(world: World, name: string) {
  let last = await logOf(world, name);
  let since = performance.now();
  return await world.until(
    async () => {
      const log = await logOf(world, name);
      if (log.length !== last.length) since = performance.now();
      last = log;
      return log;
    },
    () => performance.now() - since > 250,
  );
}
