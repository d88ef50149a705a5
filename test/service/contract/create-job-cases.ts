import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { jobThatIs, newJob, wholeLog } from "./finished-job.ts";
import { expectRefusal } from "./refusal.ts";
import { missingImage, wrongBodies } from "./wrong-bodies.ts";

const data = { name: "data", type: "host" };
const text = expect.stringMatching(/./);

export const createJobCases: readonly ContractCase[] = [
  {
    operation: "createJob",
    title: "answers the job with an empty status and the namespace in its template, and runs it",
    needsPods: true,
    async run(world) {
      const { workloads, newName } = world;
      const name = newName("job");

      const { job } = await world.get("createJob", { name, body: { containers: [workloads.lines(3)] } });

      expect(job.status).toEqual({});
      expect(job).not.toHaveProperty("instance_names");
      expect(job.spec?.template?.metadata?.namespace).toBe(job.metadata.namespace);
      expect(job.spec?.template?.spec).toMatchObject({ volumes: null, containers: [{ name, ...workloads.lines(3) }] });
      const done = await jobThatIs(world, name, "Complete");
      expect(done.metadata.uid).toBe(job.metadata.uid);
      expect((await wholeLog(world, name, workloads.nthLine(3, 3))).join("\n")).toContain(workloads.nthLine(1, 3));
    },
  },
  {
    operation: "createJob",
    title: "answers 409 for a name that exists and leaves that job as it is",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.lines(1));
      const before = await jobThatIs(world, name, "Complete");

      const reply = await world.ask("createJob", { name, body: { containers: [world.workloads.failing] } });

      expectRefusal(reply, { status: 409, naming: name });
      expect(await world.get("getJob", { name })).toEqual(before);
    },
  },
  {
    operation: "createJob",
    title: "lets exactly one of many at once have the name",
    async run({ ask, get, newName, workloads }) {
      const name = newName("race");
      const body = { containers: [workloads.lines(1)] };

      const replies = await Promise.all(Array.from({ length: 8 }, () => ask("createJob", { name, body })));

      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(7);
      const { jobs } = await get("listJobs");
      expect(jobs.filter((job) => job.metadata.name === name)).toHaveLength(1);
    },
  },
  {
    operation: "createJob",
    title: "reads memory in each of its spellings and answers it with its unit",
    async run(world) {
      for (const memory of [512, "512", "512Mi", "0.5Gi", "524288Ki"]) {
        const name = await newJob(world, { ...world.workloads.lines(1), resources: { limits: { memory } } });

        const { spec } = await world.get("getJob", { name });

        const limits = spec?.template?.spec?.containers?.map(({ resources }) => resources?.limits);
        expect({ memory, limits }).toEqual({ memory, limits: [{ memory: "512Mi" }] });
      }
    },
  },
  {
    operation: "createJob",
    title: "gives a path on the host to each volume, and adds the local time when asked to",
    async run(world) {
      const volumeMounts = [{ name: "data", mountPath: "/var/lib/data" }];
      const name = await newJob(
        world,
        { ...world.workloads.lines(1), volumeMounts },
        { volumes: [{ name: "data", type: "host" }], sync_timezone: true },
      );

      const { spec } = await world.get("getJob", { name });

      const zone = expect.stringMatching(/-time-zone$/);
      expect(spec?.template?.spec?.volumes).toEqual([
        { name: "data", hostPath: { path: text } },
        { name: zone, hostPath: { path: "/etc/localtime" } },
      ]);
      const [container] = spec?.template?.spec?.containers ?? [];
      expect(container?.volumeMounts).toEqual([
        ...volumeMounts,
        { name: zone, mountPath: "/etc/localtime", readOnly: true },
      ]);
      expect(container?.imagePullPolicy).not.toBe("Always");
    },
  },
  {
    operation: "createJob",
    title: "refuses an image that isn't there, or says that the job waits for its sake",
    needsPods: true,
    async run(world) {
      const name = world.newName("no-image");
      const body = { containers: [{ ...world.workloads.lines(1), image: missingImage }] };

      const reply = await world.ask("createJob", { name, body });

      if (world.knows.images) {
        expectRefusal(reply, { status: 400, naming: "image" });
        expect(await world.ask("getJob", { name })).toMatchObject({ status: 404 });
        return;
      }
      expect(reply.status).toBe(200);
      await world.until(
        () => world.get("getJob", { name }),
        ({ message = "" }) => message.includes(missingImage),
      );
      await world.get("deleteJob", { name });
    },
  },
  {
    operation: "createJob",
    title: "answers 400 with the field for a body of another form, and creates nothing",
    async run({ ask, newName, workloads }) {
      const name = newName("wrong");
      const container = workloads.lines(1);
      const wrong = [
        ...wrongBodies(container),
        { names: "volumes[0].type", body: { containers: [container], volumes: [{ name: "data", type: "tmpfs" }] } },
        { names: "volumes has data twice", body: { containers: [container], volumes: [data, data] } },
        { names: "volumes[0].disk_name", body: { containers: [container], volumes: [{ ...data, disk_name: "d" }] } },
        { names: "target_instance_size isn't", body: { containers: [container], target_instance_size: 2 } },
      ];
      for (const { names, body } of wrong) {
        const reply = await ask("createJob", { name, body });

        expectRefusal(reply, { status: 400, naming: names, of: body });
      }
      expect(await ask("getJob", { name })).toMatchObject({ status: 404 });
    },
  },
];
