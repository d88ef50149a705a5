import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { instanceOf, jobThatIs, newJob, wholeLog } from "./finished-job.ts";
import { expectDays, expectPages, onStillLog, type ReadPage } from "./pages.ts";
import type { World } from "./world.ts";

const COUNT = 130;
const logged = new WeakMap<World, ReturnType<typeof write>>();

/** A job that has written its lines and ended, the same one for all cases. */
function written(world: World): ReturnType<typeof write> {
  const job = logged.get(world) ?? write(world, COUNT);
  logged.set(world, job);
  return job;
}

/** A job that has written `count` lines and ended. */
async function write(world: World, count: number) {
  const name = await newJob(world, world.workloads.lines(count));
  await jobThatIs(world, name, "Complete");
  await wholeLog(world, name, world.workloads.nthLine(count, count));
  const instance = await instanceOf(world, name);
  const read: ReadPage = (query) => world.get("getJobInstanceLogs", { name, instance, query });
  return { name, instance, read };
}

export const jobLogCases: readonly ContractCase[] = [
  {
    operation: "getJobInstanceLogs",
    title: "answers every line that the job wrote, oldest first",
    needsPods: true,
    async run(world) {
      const { nthLine } = world.workloads;
      const { name } = await written(world);
      const whole = await wholeLog(world, name, nthLine(COUNT, COUNT));

      const wanted = Array.from({ length: COUNT }, (_, index) => nthLine(index + 1, COUNT));

      const places = wanted.map((line) => whole.findIndex((each) => each.includes(line)));
      expect(places).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
    },
  },
  {
    operation: "getJobInstanceLogs",
    title: "counts pages from the newest line",
    needsPods: true,
    async run(world) {
      const { read } = await written(world);

      await onStillLog(read, (whole) => expectPages(read, whole));
    },
  },
  {
    operation: "getJobInstanceLogs",
    title: "takes a day in UTC, and today without one",
    needsPods: true,
    async run(world) {
      const { read } = await written(world);

      await onStillLog(read, (whole) => expectDays(read, whole));
    },
  },
  {
    operation: "getJobInstanceLogs",
    title: "answers the 100 newest lines without a size",
    needsPods: true,
    async run(world) {
      const { read } = await written(world);

      await onStillLog(read, async (whole) => {
        expect(whole.length).toBeGreaterThanOrEqual(COUNT);
        expect(await read({})).toEqual(whole.slice(-100));
      });
    },
  },
  {
    operation: "getJobInstanceLogs",
    title: "keeps the log of each attempt of a job that fails",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.failing);
      const { status, instance_names: instances = [] } = await jobThatIs(world, name, "Failed");

      expect(status?.failed).toBeGreaterThan(1);
      if (world.forgetsLogs) return;
      const read = async () => {
        const logs = instances.map((instance) => {
          return world.get("getJobInstanceLogs", { name, instance, query: { size: 1000 } });
        });
        return (await Promise.all(logs)).flat();
      };

      // The last lines may arrive after the end is known.
      await world.until(read, (lines) => lines.length >= (status?.failed ?? Infinity));
    },
  },
  {
    operation: "getJobInstanceLogs",
    title: "knows only the instances of this job, and nobody else's",
    needsPods: true,
    async run(world) {
      const first = await written(world);
      const second = await write(world, 1);
      const query = { size: 1 };

      const replies = [
        await world.ask("getJobInstanceLogs", { name: first.name, instance: second.instance, query }),
        await world.ask("getJobInstanceLogs", { name: first.name, instance: `${first.instance}x`, query }),
        await world.ask("getJobInstanceLogs", { name: first.name, instance: first.instance, user: world.user2, query }),
      ];

      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    },
  },
];
