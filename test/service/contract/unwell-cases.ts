import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { completedJob, jobThatIs, newJob } from "./finished-job.ts";
import { runningService } from "./web-service.ts";
import type { World } from "./world.ts";

const text = expect.stringMatching(/./);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

/** A service whose container exits with code 3 soon after each start. */
async function crashingService({ get, newName, workloads }: World): Promise<string> {
  const name = newName("looping");
  await get("createService", { name, body: { containers: [workloads.crashing] } });
  return name;
}

/** Why a workload is unwell. */
export const unwellCases: readonly ContractCase[] = [
  {
    operation: "getService",
    title: "tells of a crash loop why, how it ended last, and a count of restarts that rises",
    needsPods: true,
    async run(world) {
      const name = await crashingService(world);
      const read = () => world.get("getService", { name });

      const first = await world.until(
        read,
        ({ message, restart_count = 0 }) => message !== undefined && restart_count > 0,
      );
      const later = await world.until(read, ({ restart_count = 0 }) => restart_count > (first.restart_count ?? 0));
      await world.get("deleteService", { name });

      expect(first).toMatchObject({ message: text, last_state: { reason: text, exit_code: 3, finished_at: time } });
      expect(later).toMatchObject({ last_state: { exit_code: 3, finished_at: time } });
      const ends = [first, later].map(({ last_state }) => Date.parse(last_state?.finished_at ?? ""));
      expect(ends[1]).toBeGreaterThanOrEqual(ends[0] ?? Number.NaN);
    },
  },
  {
    operation: "getService",
    title: "has nothing to tell of a service that is well",
    needsPods: true,
    async run(world) {
      const name = await runningService(world);

      const service = await world.get("getService", { name });

      expect(service.restart_count).toBe(0);
      expect(service).not.toHaveProperty("message");
      expect(service).not.toHaveProperty("last_state");
    },
  },
  {
    operation: "listServices",
    title: "tells why a service is unwell, as when it is read alone",
    needsPods: true,
    async run(world) {
      const name = await crashingService(world);
      const listed = async () => (await world.get("listServices")).services.find((each) => each.name === name);

      const service = await world.until(listed, (each) => each?.message !== undefined);
      await world.get("deleteService", { name });

      expect(service).toMatchObject({ restart_count: expect.any(Number), last_state: { exit_code: 3 } });
    },
  },
  {
    operation: "getJob",
    title: "tells of a job that fails whenever it is tried why, how it ended last, and how often it was restarted",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.failing);
      await jobThatIs(world, name, "Failed");

      const job = await world.get("getJob", { name });

      expect(job).toMatchObject({ message: text, last_state: { reason: text, exit_code: 3, finished_at: time } });
      expect(job.restart_count).toBeGreaterThan(0);
    },
  },
  {
    operation: "getJob",
    title: "has nothing to tell of a job that ended well",
    needsPods: true,
    async run(world) {
      const job = await completedJob(world);

      expect(job.restart_count).toBe(0);
      expect(job).not.toHaveProperty("message");
      expect(job).not.toHaveProperty("last_state");
    },
  },
];
