import { expect } from "vitest";
import type { ContractCase } from "./contract.ts";
import { completedJob, instanceOf, jobThatIs, newJob, startedJob } from "./finished-job.ts";

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const text = expect.stringMatching(/./);
const selfLink = expect.stringMatching(/^\/apis\/batch\/v1\/namespaces\/[^/]+\/jobs\/[^/]+$/);
const asDocumented = { terminationMessagePath: "/dev/termination-log" };

export const jobCases: readonly ContractCase[] = [
  {
    operation: "listJobs",
    title: "is empty for a user without jobs",
    async run({ get, newcomer }) {
      expect(await get("listJobs", { user: newcomer })).toEqual({ jobs: [] });
    },
  },
  {
    operation: "listJobs",
    title: "shows a job as it is read alone, without the names of its instances",
    needsPods: true,
    async run(world) {
      const { instance_names: instances, ...job } = await completedJob(world);

      const { jobs } = await world.get("listJobs");

      expect(instances).toHaveLength(1);
      expect(jobs.filter((each) => each.metadata.name === job.metadata.name)).toEqual([job]);
    },
  },
  {
    operation: "listJobs",
    title: "shows nobody else's jobs",
    needsPods: true,
    async run(world) {
      const { metadata } = await completedJob(world);

      const { jobs } = await world.get("listJobs", { user: world.user2 });

      expect(jobs.map((job) => job.metadata.name)).not.toContain(metadata.name);
    },
  },
  {
    operation: "getJob",
    title: "tells what the job is and what was asked for",
    async run(world) {
      const env = [{ name: "LOG_LEVEL", value: "info" }];
      const name = await newJob(world, { ...world.workloads.lines(1), env, pull_always: true });

      const job = await startedJob(world, name);

      const uid = job.metadata.uid;
      expect(job).toMatchObject({
        instance_names: [text],
        metadata: { name, namespace: text, selfLink, uid: text, resourceVersion: text, creationTimestamp: time },
        spec: { parallelism: 1, completions: 1, selector: { matchLabels: { "controller-uid": uid } } },
      });
      expect(job.metadata.labels).toMatchObject({ name });
      expect(job.spec?.template).toMatchObject({
        metadata: {
          name,
          creationTimestamp: null,
          labels: { "controller-uid": uid, "job-name": name, name },
        },
        spec: {
          containers: [{ name, ...world.workloads.lines(1), env, ...asDocumented, imagePullPolicy: "Always" }],
          restartPolicy: "OnFailure",
          terminationGracePeriodSeconds: 30,
          dnsPolicy: "ClusterFirst",
          serviceAccountName: "",
          securityContext: {},
        },
      });
      expect(job.spec?.template?.metadata).not.toHaveProperty("namespace");
    },
  },
  {
    operation: "getJob",
    title: "tells of a job that ended well: Complete, its times, one success",
    needsPods: true,
    async run(world) {
      const { status } = await completedJob(world);

      expect(status).toMatchObject({
        conditions: [{ type: "Complete", status: "True", lastProbeTime: time, lastTransitionTime: time }],
        startTime: time,
        completionTime: time,
        succeeded: 1,
      });
      expect(Date.parse(String(status?.completionTime))).toBeGreaterThanOrEqual(Date.parse(String(status?.startTime)));
      expect(status?.active ?? 0).toBe(0);
    },
  },
  {
    operation: "getJob",
    title: "tells of a job that fails whenever it is tried: Failed, why, no completion",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.failing);

      const { status, instance_names: instances } = await jobThatIs(world, name, "Failed");

      expect(status?.conditions).toMatchObject([{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }]);
      expect(status?.conditions?.[0]?.message).toBe(`exit code 3 after ${status?.failed} attempts`);
      expect(instances).toEqual([text]);
      expect(status?.failed).toBeGreaterThan(1);
      expect(status).not.toHaveProperty("completionTime");
      expect(status?.succeeded ?? 0).toBe(0);
    },
  },
  {
    operation: "getJob",
    title: "knows nobody else's job, and two users may each have one of the same name",
    async run(world) {
      const name = await newJob(world, world.workloads.lines(1));
      expect(await world.ask("getJob", { name, user: world.user2 })).toMatchObject({ status: 404 });

      const body = { containers: [world.workloads.lines(2)] };
      await world.get("createJob", { name, user: world.user2, body });

      const [mine, theirs] = [
        await world.get("getJob", { name }),
        await world.get("getJob", { name, user: world.user2 }),
      ];
      expect(mine.metadata.uid).not.toBe(theirs.metadata.uid);
      expect(mine.spec?.template?.spec?.containers).toMatchObject([world.workloads.lines(1)]);
      expect(theirs.spec?.template?.spec?.containers).toMatchObject(body.containers);
    },
  },
  {
    operation: "deleteJob",
    title: "answers the name, and the job is gone",
    async run(world) {
      const name = await newJob(world, world.workloads.lines(1));
      const instance = await instanceOf(world, name);

      expect(await world.get("deleteJob", { name })).toMatchObject({ jobName: name });

      await world.until(
        () => world.ask("getJob", { name }),
        ({ status }) => status === 404,
      );
      expect(JSON.stringify(await world.get("listJobs"))).not.toContain(`"${name}"`);
      expect(await world.ask("getJobInstanceLogs", { name, instance })).toMatchObject({ status: 404 });
      expect(await world.ask("deleteJob", { name })).toMatchObject({ status: 404 });
    },
  },
  {
    operation: "deleteJob",
    title: "stops a job that runs; a new one of the same name is another job",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.lasting);
      const { metadata } = await world.get("getJob", { name });
      const old = await instanceOf(world, name);

      await world.get("deleteJob", { name });

      const body = { containers: [world.workloads.lines(1)] };
      await world.until(
        () => world.ask("createJob", { name, body }),
        ({ status }) => status === 200,
      );
      const again = await jobThatIs(world, name, "Complete");
      expect(again.metadata.uid).not.toBe(metadata.uid);
      expect(again.instance_names).not.toContain(old);
    },
  },
  {
    operation: "deleteJob",
    title: "touches nobody else's job",
    needsPods: true,
    async run(world) {
      const name = await newJob(world, world.workloads.lines(1));

      expect(await world.ask("deleteJob", { name, user: world.user2 })).toMatchObject({ status: 404 });

      await jobThatIs(world, name, "Complete");
    },
  },
];
