import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { expectRefusal } from "./refusal.ts";
import { idleService } from "./web-service.ts";
import type { World } from "./world.ts";

/**
 * Reads only when it was told that a list changed, never because time passed, until what it reads is as wanted. It asks
 * first and reads then, as docs/events.openapi.yaml says.
 */
async function toldUntil<T>(
  world: World,
  {
    kind,
    region,
    read,
  }: { readonly kind: "service" | "job"; readonly region: string; readonly read: () => Promise<T> },
  isWanted: (value: T) => boolean,
): Promise<T> {
  let after: string | undefined;
  let last: T | undefined;
  await world.until(
    async () => {
      const { cursor, changed } = await world.events({ region, after, wait: 2 });
      after = cursor;
      if (changed.includes(kind)) last = await read();
      return last;
    },
    (value) => value !== undefined && isWanted(value),
  );
  if (last === undefined) throw new Error("it was told of nothing");
  return last;
}

/** Other cases run beside these, so what is told is never theirs alone. */
const cases: readonly Omit<ContractCase, "needsEvents">[] = [
  {
    operation: "listServices",
    title: "who reads only when told that services changed sees a crash, its restarts and the deletion",
    needsPods: true,
    async run(world) {
      const [region] = world.regions;
      const name = world.newName("crash");
      const service = async () => (await world.get("listServices")).services.find((each) => each.name === name);
      const seen = toldUntil(
        world,
        { kind: "service", region, read: service },
        (each) => (each?.restart_count ?? 0) >= 2,
      );
      await world.get("createService", { name, body: { containers: [world.workloads.crashing] } });
      expect(await seen).toMatchObject({
        restart_count: expect.any(Number),
        last_state: { exit_code: expect.any(Number) },
      });

      const gone = toldUntil(
        world,
        { kind: "service", region, read: async () => [await service()] },
        ([each]) => !each,
      );
      await world.get("deleteService", { name });
      await gone;
    },
  },
  {
    operation: "listJobs",
    title: "who reads only when told that jobs changed sees one complete",
    needsPods: true,
    async run(world) {
      const name = world.newName("told");
      const read = async () => (await world.get("listJobs")).jobs.find(({ metadata }) => metadata.name === name);
      const complete = toldUntil(
        world,
        { kind: "job", region: "us", read },
        (job) => (job?.status?.succeeded ?? 0) > 0,
      );
      await world.get("createJob", { name, body: { containers: [world.workloads.lines(3)] } });
      expect(await complete).toMatchObject({ status: { succeeded: 1 } });
    },
  },
  {
    operation: "listServices",
    title: "a user is told nothing about the workloads of another",
    async run(world) {
      const [region] = world.regions;
      const user = world.newcomer;
      // A cluster notes what it reads for the first time.
      const quiet = await world.until(
        async () => {
          const { cursor } = await world.events({ region, user });
          return await world.events({ region, user, after: cursor });
        },
        ({ changed }) => changed.length === 0,
      );
      await idleService(world);
      expect(await world.events({ region, user, after: quiet.cursor })).toEqual({ cursor: quiet.cursor, changed: [] });
    },
  },
  {
    operation: "listServices",
    title: "refuses to wait for events of an unknown region, for too long, or without a token",
    async run(world) {
      const [region] = world.regions;
      expectRefusal(await world.askEvents({ region: "nowhere" }), { status: 400, naming: "nowhere" });
      for (const wait of ["61", "-1", "1.5", "soon", ""]) {
        expectRefusal(await world.askEvents({ region, wait }), { status: 400, naming: "wait must be a whole number" });
      }
      const user = { ...world.user1, token: "wrong" };
      expectRefusal(await world.askEvents({ region, user }), { status: 401, naming: "token" });
      const reply = await world.askEvents({ region, method: "POST" });
      expectRefusal(reply, { status: 405, naming: "GET, HEAD" });
      expect(reply.headers.get("allow")).toBe("GET, HEAD");
    },
  },
];

export const eventCases: readonly ContractCase[] = cases.map((each) => ({ ...each, needsEvents: true }));
