import { expect, test } from "vitest";
import { readOperations } from "../../../../../src/service/engines/kubernetes/read/read-operations.ts";
import { nextRun } from "../../../../../src/service/engines/kubernetes/read/cron-jobs.ts";
import { regionWith } from "../support/known-objects.ts";
import { cronJob, deployment, job, ofCronJob, pod } from "../support/sent-objects.ts";
import { asked as named, scriptedCluster, writesOn } from "../write/support/scripted-cluster.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const now = new Date("2026-11-22T12:30:00Z");
const inUs = named("");

function operations(sent: Parameters<typeof regionWith>[0], changed: Parameters<typeof regionWith>[1] = {}) {
  const regions = new Map([["us", regionWith(sent, changed)]]);
  return readOperations({ regions, clock: stillClock(now) });
}

const complete = { conditions: [{ type: "Complete", status: "True" }], completionTime: "2026-11-22T02:00:09Z" };
const failed = { conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }] };
const runOf = (name: string, run: string, at: string, status: Readonly<Record<string, unknown>>) =>
  job(run, { metadata: { ...ofCronJob(name), creationTimestamp: at }, status });

test("a CronJob is a job with its schedule, its next run and how its newest run went", async () => {
  const { listJobs, getJob } = operations([
    cronJob("nightly", { spec: { timeZone: "Europe/Berlin" } }),
    runOf("nightly", "nightly-1", "2026-11-21T01:00:00Z", failed),
    runOf("nightly", "nightly-2", "2026-11-22T01:00:00Z", complete),
    pod("nightly-2-x7k2p", { of: { kind: "Job", name: "nightly-2" } }),
    cronJob("paused", { spec: { suspend: true }, status: { lastScheduleTime: "2026-11-01T02:00:00Z" } }),
    cronJob("new", { spec: { schedule: "5/15 * * * *" } }),
  ]);
  const { jobs } = await listJobs(inUs);

  expect(jobs.map(({ metadata: { name }, managed_by }) => [name, managed_by])).toEqual([
    ["nightly-1", "CronJob nightly"],
    ["nightly-2", "CronJob nightly"],
    ["new", undefined],
    ["nightly", undefined],
    ["paused", undefined],
  ]);
  expect(Object.fromEntries(jobs.map(({ metadata: { name }, schedule }) => [name, schedule]))).toMatchObject({
    nightly: {
      cron: "0 2 * * *",
      time_zone: "Europe/Berlin",
      suspended: false,
      next_run: "2026-11-23T01:00:00.000Z",
      last_run: "2026-11-22T01:00:00Z",
      last_job: "nightly-2",
      last_result: "complete",
    },
    paused: { cron: "0 2 * * *", suspended: true, last_run: "2026-11-01T02:00:00Z" },
    new: { cron: "5/15 * * * *", suspended: false },
  });
  const alone = await getJob(named("nightly"));
  // Its log is that of its newest run.
  expect(alone.instance_names).toEqual(["nightly-2-x7k2p"]);
  expect(alone.refused_operations).toEqual([
    { operation: "deleteJob", reason: "Gantry may not delete job nightly: it is a CronJob. Delete it with kubectl." },
  ]);
});

test("a job keeps its name, and the CronJob of that name is told apart", async () => {
  const { listJobs, getJob } = operations([cronJob("nightly"), job("nightly")]);

  expect((await listJobs(inUs)).jobs.map(({ metadata }) => metadata.name)).toEqual(["nightly", "nightly.cronjob"]);
  const alone = await getJob(named("nightly"));
  expect([alone.schedule, alone.kubernetes_kind]).toEqual([undefined, "Job"]);
  expect(await getJob(named("nightly.cronjob"))).toMatchObject({
    schedule: { cron: "0 2 * * *" },
    kubernetes_kind: "CronJob",
  });
});

test("with an adopted CronJob come its jobs, which may lack its labels, and without adoption there is none", async () => {
  const sent = [
    cronJob("nightly", { metadata: { labels: { team: "shop" } } }),
    runOf("nightly", "run", "2026-11-22T01:00:00Z", {}),
  ];
  const namesIn = async (adopt: Parameters<typeof regionWith>[1]) =>
    (await operations([...sent, cronJob("other"), deployment("web")], adopt).listJobs(inUs)).jobs.map(
      ({ metadata }) => metadata.name,
    );

  expect(await namesIn({ adopt: { workloads: "team=shop", allow: [] } })).toEqual(["run", "nightly"]);
  expect(await namesIn({ adopt: { workloads: "none", allow: [] } })).toEqual([]);
});

test.each([
  ["*/5 * * * *", undefined, "2026-11-22T12:35:00.000Z"],
  ["@daily", undefined, "2026-11-23T00:00:00.000Z"],
  ["0 2 ? * ?", undefined, "2026-11-23T02:00:00.000Z"],
  ["0 2 * * MON-WED", "America/New_York", "2026-11-23T07:00:00.000Z"],
  ["0 2 * JUL *", undefined, "2027-07-01T02:00:00.000Z"],
  // Either day counts.
  ["0 0 1 * 1", undefined, "2026-11-23T00:00:00.000Z"],
  ["0 0 */2 * 1", undefined, undefined],
  ["@every 1h", undefined, undefined],
  ["0 0 30 2 *", undefined, undefined],
  ["0 0 L * *", undefined, undefined],
  ["0 0 * * * *", undefined, undefined],
  ["0 2 * * *", "Mars/Olympus", undefined],
  ["", undefined, undefined],
])("the schedule %s in %s runs next at %s", (schedule, timeZone, expected) => {
  expect(nextRun({ schedule, timeZone }, now)).toBe(expected);
});

test.each([
  ["allows one run at a time, while one is in progress", "Forbid", {}, true],
  ["allows one run at a time, after its last one", "Forbid", complete, false],
  ["allows several", "Allow", {}, false],
  ["replaces the one before", "Replace", {}, false],
])("a CronJob that %s: a run now is refused, and its answer says so before", async (_, policy, status, isRefused) => {
  const sent = [
    cronJob("nightly", { spec: { concurrencyPolicy: policy } }),
    runOf("nightly", "nightly-1", "2026-11-22T01:00:00Z", status),
  ];
  const cluster = scriptedCluster();
  for (const each of sent) cluster.others.put(each.kind as "CronJob" | "Job", each); // as they were made
  const { createJob } = writesOn(cluster.api);
  const made = createJob({ ...named("nightly-now"), body: { from_cron_job: "nightly" } });
  const { refused_operations: refused = [] } = await operations(sent).getJob(named("nightly"));

  const reason = "CronJob nightly allows one run at a time, and nightly-1 is in progress.";
  const next = "Wait until it ends, or delete it.";
  expect(refused.filter(({ operation }) => operation === "createJob")).toEqual(
    isRefused ? [{ operation: "createJob", reason: `${reason} ${next}` }] : [],
  );
  if (isRefused) await expect(made).rejects.toMatchObject({ message: `${reason} Nothing was changed. ${next}` });
  else await expect(made).resolves.toBeDefined();
});

test("a run now is a job of the CronJob's template, made once, that belongs to the CronJob", async () => {
  const cluster = scriptedCluster();
  const sent = cronJob("nightly", {
    spec: {
      jobTemplate: {
        metadata: { labels: { team: "shop" }, annotations: { note: "kept" } },
        spec: {
          backoffLimit: 2,
          ttlSecondsAfterFinished: 60,
          template: { spec: { containers: [], hostNetwork: true } },
        },
      },
    },
  });
  cluster.others.put("CronJob", sent);
  let body: unknown;
  const api: typeof cluster.api = {
    ...cluster.api,
    create(place, given, signal) {
      body = given;
      return cluster.api.create(place, given, signal);
    },
  };
  const { createJob, deleteJob } = writesOn(api);
  const run = (name: string, from = "nightly") => createJob({ ...named(name), body: { from_cron_job: from } });

  const { job: made } = await run("nightly-now");
  expect(made.metadata.name).toBe("nightly-now");
  expect(body).toEqual({
    metadata: {
      name: "nightly-now",
      labels: { team: "shop" },
      annotations: {
        note: "kept",
        "cronjob.kubernetes.io/instantiate": "manual",
        "gantry/request": expect.any(String),
      },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "uid of CronJob nightly", controller: true },
      ],
    },
    spec: { backoffLimit: 2, ttlSecondsAfterFinished: 60, template: { spec: { containers: [], hostNetwork: true } } },
  });
  await expect(run("nightly-now")).rejects.toMatchObject({ status: 409 });
  await expect(run("other", "absent")).rejects.toMatchObject({
    status: 404,
    message: "no CronJob is named absent: check the name. Nothing was changed.",
  });
  await expect(deleteJob(named("nightly"))).rejects.toMatchObject({ status: 409 });
  expect(cluster.names()).toEqual(["CronJob nightly", "Job nightly-now"]);
});

test("a CronJob tells what starts before the containers of its jobs, and their memory as a whole", async () => {
  const resources = { limits: { memory: "64Mi" } };
  const initContainers = [{ name: "fetch", image: "shop/fetch:1", restartPolicy: "Always", resources }];
  const { getJob } = operations([cronJob("nightly", { podSpec: { initContainers, resources } })]);

  const fetch = { name: "fetch", image: "shop/fetch:1", resources: { limits: { memory: "64" } } };
  expect(await getJob(named("nightly"))).toMatchObject({
    init_containers: [fetch],
    sidecars: [fetch],
    instance_memory: "64",
    schedule: { cron: "0 2 * * *" },
  });
});
