import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { expectDays, expectPages, onStillLog, type ReadPage } from "./pages.ts";
import { idleService, logOf, runningService, serviceThatIs, startsReach } from "./web-service.ts";
import type { World } from "./world.ts";

const shared = new WeakMap<World, ReturnType<typeof write>>();

/** A service with a log that no longer changes, the same one for all cases that only read it. */
function written(world: World): ReturnType<typeof write> {
  const service = shared.get(world) ?? write(world, { lines: 6, instances: 2 });
  shared.set(world, service);
  return service;
}

/** A service that has written at least that much and was stopped; one whose log would go with its instances is silent. */
async function write(world: World, { lines, instances }: { lines: number; instances: number }) {
  const { still } = world.forgetsLogs ?? {};
  const container = still && { containers: [still], port_mappings: [] };
  const name = await runningService(world, { target_instance_size: instances, ...container });
  if (!still) await startsReach(world, name, instances);
  await world.until(
    () => logOf(world, name),
    (log) => log.length >= lines,
  );
  if (!still) {
    await world.get("stopService", { name });
    await serviceThatIs(world, name, "Stopped");
  }
  const read: ReadPage = (query) => world.get("getServiceLogs", { name, query });
  return { name, read };
}

export const serviceLogCases: readonly ContractCase[] = [
  {
    operation: "getServiceLogs",
    title: "answers what each instance wrote, with its name, oldest first",
    needsPods: true,
    async run(world) {
      const name = await runningService(world, { target_instance_size: 2 });
      const starts = await startsReach(world, name, 2);

      const log = await world.until(
        () => logOf(world, name),
        (lines) => lines.length >= 6,
      );

      expect(Object.keys(starts)).toHaveLength(2);
      for (const line of log) {
        expect(line).toEqual({ instance_name: expect.stringMatching(/./), log: expect.any(String) });
      }
      // Newer lines come after older ones.
      expect((await logOf(world, name)).slice(0, log.length)).toEqual(log);
    },
  },
  {
    operation: "getServiceLogs",
    title: "counts pages from the newest line",
    needsPods: true,
    async run(world) {
      const { read } = await written(world);

      await onStillLog(read, (whole) => expectPages(read, whole));
    },
  },
  {
    operation: "getServiceLogs",
    title: "takes a day in UTC, and today without one",
    needsPods: true,
    async run(world) {
      const { read } = await written(world);

      await onStillLog(read, (whole) => expectDays(read, whole));
    },
  },
  {
    operation: "getServiceLogs",
    title: "is empty for a service that never ran",
    async run(world) {
      const name = await idleService(world);

      expect(await logOf(world, name)).toEqual([]);
    },
  },
  {
    operation: "getServiceLogs",
    title: "keeps the log of a stopped service",
    needsPods: true,
    async run(world) {
      if (world.forgetsLogs) return;
      const { name } = await write(world, { lines: 3, instances: 1 });

      expect((await logOf(world, name)).length).toBeGreaterThanOrEqual(3);
    },
  },
  {
    operation: "getServiceLogs",
    title: "shows nobody else's log, and none of another region",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);

      const replies = [
        await world.ask("getServiceLogs", { name, user: world.user2 }),
        await world.ask("getServiceLogs", { name, region: world.regions[1] }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([404, 404]);
    },
  },
];
