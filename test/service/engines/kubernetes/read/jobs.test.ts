import { expect, test } from "vitest";
import { answerShapes } from "../../../../../src/api/answers.ts";
import { jobStatus } from "../../../../../src/api/workload-status.ts";
import { findJobs } from "../../../../../src/service/engines/kubernetes/read/jobs.ts";
import { jobOwner } from "../../../../../src/service/engines/kubernetes/write/refused-operations.ts";
import { regionWith } from "../support/known-objects.ts";
import { job, ofCronJob, pod } from "../support/sent-objects.ts";
import { jobsOf } from "../support/read-service.ts";

const of = { kind: "Job", name: "report" } as const;
const at = (time: string) => `2026-11-22T${time}Z`;
const failedPod = (name: string, exitCode: number, finishedAt: string) =>
  pod(name, {
    of,
    metadata: { creationTimestamp: at(finishedAt) },
    status: { phase: "Failed" },
    app: { state: { terminated: { exitCode, reason: "Error", finishedAt: at(finishedAt) } } },
  });

test("a job of a newer cluster is complete when it says Complete, not at SuccessCriteriaMet", () => {
  const selector = { matchLabels: { "batch.kubernetes.io/controller-uid": "uid of Job report" } };
  const met = { type: "SuccessCriteriaMet", status: "True", lastTransitionTime: at("12:10:00") };
  const complete = { type: "Complete", status: "True", lastTransitionTime: at("12:10:05") };
  const times = { startTime: at("12:00:00"), uncountedTerminatedPods: {}, ready: 0, terminating: 1 };
  const read = (status: object) => jobsOf([job("report", { spec: { selector }, status: { ...times, ...status } })])[0];

  const ending = read({ conditions: [met], succeeded: 1 });
  expect(ending?.status).toMatchObject({ conditions: [{ type: "SuccessCriteriaMet" }], succeeded: 1 });
  expect(ending?.status).not.toHaveProperty("completionTime");
  expect(read({ conditions: [met, complete], succeeded: 1, completionTime: at("12:10:05") })).toMatchObject({
    metadata: { selfLink: "/apis/batch/v1/namespaces/team/jobs/report", resourceVersion: "7" },
    spec: { selector: { matchLabels: { "controller-uid": "uid of Job report" } } },
    status: { conditions: [{ type: "Complete", status: "True" }], completionTime: at("12:10:05") },
  });
});

test("a suspended job says so, also before its controller saw it", () => {
  const suspended = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" };

  const jobs = jobsOf([
    job("asked", { spec: { suspend: true } }),
    job("seen", { spec: { suspend: true }, status: { conditions: [suspended] } }),
    job("resumed", { status: { conditions: [{ ...suspended, status: "False" }], active: 1 } }),
  ]);

  expect(
    jobs.map(({ metadata, status, message }) => [metadata.name, status?.conditions?.[0]?.status, message]),
  ).toEqual([
    ["asked", "True", undefined],
    ["resumed", "False", "Kubernetes hasn't created its instance: see its events"],
    ["seen", "True", undefined],
  ]);
});

test("each attempt of a job whose pods aren't restarted is an instance, oldest first", () => {
  const sent = [
    job("report", { status: { failed: 2, active: 1, startTime: at("12:00:00") } }),
    pod("report-c", { of, metadata: { creationTimestamp: at("12:02:00") } }),
    failedPod("report-b", 2, "12:01:00"),
    failedPod("report-a", 1, "12:00:30"),
    pod("stray", { of: undefined, metadata: { labels: { "job-name": "report" } } }),
  ];

  expect(jobsOf(sent)).toMatchObject([
    {
      instance_names: ["report-a", "report-b", "report-c"],
      spec: { template: { spec: { restartPolicy: "Never" } } },
      status: { active: 1, failed: 2 },
      restart_count: 2,
      last_state: { exit_code: 2, finished_at: at("12:01:00") },
      message: "exit code 2 after 2 attempts",
    },
  ]);
});

test("a job in whose pods the containers are restarted counts each failed attempt", () => {
  const last = { terminated: { exitCode: 3, reason: "Error", startedAt: at("12:20:00"), finishedAt: at("12:20:01") } };
  const app = { ready: false, restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: last };
  const sent = [
    job("report", { podSpec: { restartPolicy: "OnFailure" }, status: { active: 1 } }),
    pod("report-a", { of, app }),
  ];

  expect(jobsOf(sent)).toMatchObject([
    {
      status: { active: 1, failed: 5 },
      restart_count: 4,
      last_state: { exit_code: 3 },
      message: "report-a exited with code 3",
    },
  ]);
});

const usedUp = {
  type: "Failed",
  status: "True",
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
  lastTransitionTime: at("12:30:00"),
};
const end = { reason: "Error", exitCode: 3, finishedAt: at("12:20:01"), restarts: 6, attempts: 7 };
const written = (value: unknown) => ({ annotations: { "gantry/last-end": JSON.stringify(value) } });
const template = { spec: { containers: [{ name: "app", image: "shop/app:1" }], restartPolicy: "OnFailure" } };
const failedJob = (metadata: object) =>
  job("report", {
    metadata: { ...metadata },
    spec: { backoffLimit: 6, template },
    status: { failed: 1, conditions: [usedUp] },
  });

test("a job whose pod Kubernetes deleted tells how it failed last, as it was written on the job", () => {
  const [read] = jobsOf([failedJob(written(end))]);

  expect(read).toMatchObject({
    status: { conditions: [{ type: "Failed", message: "exit code 3 after 7 attempts" }], failed: 7 },
    restart_count: 6,
    last_state: { reason: "Error", exit_code: 3, finished_at: at("12:20:01") },
    message: "exit code 3 after 7 attempts",
  });
});

test.each([
  ["nothing was written", {}],
  ["what was written is damaged", { annotations: { "gantry/last-end": "{" } }],
  ["what was written has another form", written({ ...end, exitCode: "3" })],
])("a job whose pod Kubernetes deleted only tells the number of attempts where %s", (_, metadata) => {
  const [read] = jobsOf([failedJob(metadata)]);

  expect(read).toMatchObject({ status: { failed: 6 }, message: "failed after 6 attempts", restart_count: 6 });
  expect(read).not.toHaveProperty("last_state");
});

test("what was written on a job doesn't hide a later failure, nor what is being ended with the pod", () => {
  const earlier = written({ ...end, restarts: 1, attempts: 2, finishedAt: at("12:10:00") });
  const last = { terminated: { exitCode: 4, reason: "Error", finishedAt: at("12:25:00") } };
  const killed = { terminated: { exitCode: 137, reason: "Error", finishedAt: at("12:29:00") } };
  const app = { ready: false, restartCount: 3, state: killed, lastState: last };

  const [read] = jobsOf([
    job("report", { podSpec: { restartPolicy: "OnFailure" }, metadata: earlier, status: { active: 1 } }),
    pod("report-a", { of, metadata: { deletionTimestamp: at("12:29:30") }, app }),
  ]);

  expect(read).toMatchObject({ status: { failed: 3 }, restart_count: 3, last_state: { exit_code: 4 } });
});

test("a volume that isn't on a host has a name only", () => {
  const volumes = [
    { name: "claim", persistentVolumeClaim: { claimName: "c" } },
    { name: "scratch", emptyDir: {} },
  ];

  const [read] = jobsOf([job("report", { podSpec: { volumes } })]);

  expect(read?.spec?.template?.spec?.volumes).toEqual([{ name: "claim" }, { name: "scratch" }]);
});

/** As the bot reads it. */
const shownStatus = (read: unknown) => jobStatus(answerShapes.getJob.parse(read));

test("a job that Kubernetes has given up has failed, also while its last pod still ends", () => {
  const condition = { status: "True", reason: "PodFailurePolicy", message: "Container app exited with code 42" };
  const target = { type: "FailureTarget", ...condition, lastTransitionTime: at("12:10:00") };
  const failed = { type: "Failed", ...condition, lastTransitionTime: at("12:10:30") };
  const of42 = failedPod("report-a", 42, "12:09:59");
  const read = (conditions: readonly object[]) =>
    jobsOf([job("report", { status: { conditions, failed: 1, active: 1 } }), of42]);

  expect(read([target]).map(shownStatus)).toMatchObject([{ level: "failing", words: "failed", since: at("12:10:00") }]);
  expect(read([target])).toMatchObject([{ message: "Container app exited with code 42" }]);
  expect(read([target, failed])[0]?.status?.conditions).toMatchObject([{ type: "Failed" }]);
});

test("a job whose work is done says that its instances still end, and isn't retrying", () => {
  const met = {
    type: "SuccessCriteriaMet",
    status: "True",
    reason: "SuccessPolicy",
    lastTransitionTime: at("12:10:00"),
  };
  const sent = [
    job("report", { status: { conditions: [met], succeeded: 1, failed: 1, startTime: at("12:00:00") } }),
    failedPod("report-a", 1, "12:05:00"),
  ];

  const [read] = jobsOf(sent);

  expect(shownStatus(read)).toMatchObject({
    level: "busy",
    words: "completing",
    reason: "its work is done, its last instances still end",
  });
});

test.each([
  ["PodFailurePolicy", { restartPolicy: "Never" }],
  ["DeadlineExceeded", { restartPolicy: "Never" }],
  ["DeadlineExceeded", { restartPolicy: "OnFailure" }],
  ["FailedIndexes", { restartPolicy: "Never" }],
  ["MaxFailedIndexesExceeded", { restartPolicy: "Never" }],
])("a job that ended with %s tells Kubernetes' words, and nobody invents restarts: %o", (reason, podSpec) => {
  const condition = { type: "Failed", status: "True", reason, message: "it ended", lastTransitionTime: at("12:10:00") };

  const [read] = jobsOf([job("report", { podSpec, status: { failed: 3, conditions: [condition] } })]);

  expect(read).toMatchObject({ status: { failed: 3, conditions: [condition] }, message: "it ended" });
  expect(read).not.toHaveProperty("restart_count");
});

/** As Kubernetes 1.29 and later run it: an init container that is restarted, and ended when the work is done. */
const withSidecar = (name: string, sidecar: object, app: object, status: object = {}) =>
  pod(name, {
    of,
    spec: { initContainers: [{ name: "proxy", restartPolicy: "Always" }] },
    status: {
      initContainerStatuses: [{ name: "proxy", ready: true, restartCount: 0, ...sidecar }],
      containerStatuses: [{ name: "app", ready: false, restartCount: 0, ...app }],
      ...status,
    },
  });

test("a sidecar that is ended when the work is done is no failure of a complete job", () => {
  const ended = (exitCode: number, reason: string) => ({
    state: { terminated: { exitCode, reason, finishedAt: at("12:10:00") } },
  });
  const complete = { type: "Complete", status: "True", lastTransitionTime: at("12:10:05") };
  const sent = [
    job("report", {
      podSpec: { restartPolicy: "OnFailure" },
      status: { conditions: [complete], succeeded: 1, startTime: at("12:00:00"), completionTime: at("12:10:05") },
    }),
    withSidecar("report-a", ended(143, "Error"), ended(0, "Completed"), { phase: "Succeeded" }),
  ];

  const [read] = jobsOf(sent);

  expect(read?.status).not.toHaveProperty("failed");
  expect(read).toMatchObject({ restart_count: 0 });
  expect(read).not.toHaveProperty("last_state");
  expect(shownStatus(read)).toEqual({ level: "idle", words: "complete", since: at("12:10:05") });
});

test("restarts of a sidecar count, and aren't attempts of the job", () => {
  const last = { terminated: { exitCode: 1, reason: "Error", finishedAt: at("12:05:00") } };
  const sidecar = { restartCount: 2, state: { running: { startedAt: at("12:05:01") } }, lastState: last };
  const sent = [
    job("report", { status: { active: 1, startTime: at("12:00:00") } }),
    withSidecar("report-a", sidecar, { ready: true, state: { running: { startedAt: at("12:00:05") } } }),
  ];

  const [read] = jobsOf(sent);

  expect(read).toMatchObject({ restart_count: 2, last_state: { exit_code: 1 } });
  expect(read?.status).not.toHaveProperty("failed");
});

test("a job that somebody else runs names them", () => {
  const sent = [
    job("report", {
      spec: { managedBy: "kueue.x-k8s.io/multikueue" },
      metadata: { ...ofCronJob("nightly"), name: "report" },
    }),
    job("own", { spec: { managedBy: "kubernetes.io/job-controller" } }),
  ];
  const found = findJobs(regionWith(sent), { namespaces: ["team"], username: "dana", now: new Date(at("12:30:00")) });

  expect(found.map((each) => [each.job.name, jobOwner(each).managedBy, each.around.message])).toEqual([
    ["own", undefined, "Kubernetes hasn't created its instance: see its events"],
    [
      "report",
      "CronJob nightly and controller kueue.x-k8s.io/multikueue",
      "kueue.x-k8s.io/multikueue hasn't started it",
    ],
  ]);
});
