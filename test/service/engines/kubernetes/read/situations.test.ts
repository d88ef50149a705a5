import { expect, test } from "vitest";
import { findJobs } from "../../../../../src/service/engines/kubernetes/read/jobs.ts";
import { findServices } from "../../../../../src/service/engines/kubernetes/read/services.ts";
import { readJob } from "../../../../../src/service/workloads/jobs/job-answer.ts";
import { listedService } from "../../../../../src/service/workloads/services/service-answer.ts";
import { regionWith } from "../support/known-objects.ts";
import { situations } from "../support/situations.ts";

function situation(name: keyof typeof situations) {
  const [now, ...sent] = situations[name];
  return [regionWith(sent), { namespaces: ["team"], username: "dana", now: new Date(now) }] as const;
}

const services: readonly (readonly [name: keyof typeof situations, expected: object])[] = [
  ["healthy", { status: "Running", ready_instances: 3, restart_count: 0, status_since: "2026-11-22T12:02:27Z" }],
  [
    "crash-loop",
    {
      status: "Failed",
      message: "crash-loop-c9cf6b794-kbgzz exited with code 3",
      ready_instances: 0,
      restart_count: 3,
      last_state: { reason: "Error", exit_code: 3, finished_at: "2026-11-22T12:01:47Z" },
      restarts: { count: 3, last_at: "2026-11-22T12:01:47Z" },
    },
  ],
  [
    "oom",
    {
      status: "Failed",
      message: "oom-fd9c4d554-htm2f exited with code 137 (out of memory)",
      last_state: { reason: "OOMKilled", exit_code: 137 },
    },
  ],
  [
    "no-image",
    {
      status: "Failed",
      message: 'ImagePullBackOff: Back-off pulling image "localhost/nope:1" (no-image-cf596db46-z8425)',
      status_since: "2026-11-22T12:00:58Z",
      restart_count: 0,
    },
  ],
  [
    "no-secret",
    {
      status: "Failed",
      message: 'CreateContainerConfigError: secret "absent" not found (no-secret-5b4b5787b5-9vt9w)',
    },
  ],
  [
    "no-program",
    {
      status: "Failed",
      message: expect.stringMatching(/^\w+: exec: "\/nope": .*no such file or directory.* \(no-program-\S+\)$/),
      last_state: { reason: "StartError", exit_code: 128 },
    },
  ],
  [
    "init-fails",
    {
      status: "Failed",
      message: "init container migrate of init-fails-67647c4776-kvcrz exited with code 7",
      last_state: { exit_code: 7 },
    },
  ],
  [
    "unschedulable",
    {
      status: "Starting",
      message: expect.stringMatching(/^Unschedulable: 0\/1 nodes are available: 1 Insufficient memory/),
    },
  ],
  [
    "unready",
    { status: "Starting", message: expect.stringMatching(/isn't ready: containers with unready status: \[app\]/) },
  ],
  [
    "quota",
    {
      status: "Failed",
      message: expect.stringMatching(/^can't create its instances: .* exceeded quota: few, .* limited: pods=1$/),
      ready_instances: 1,
    },
  ],
  ["deadline", { status: "Failed", message: expect.stringMatching(/nope:1/) }],
  [
    "stuck-update",
    {
      status: "Updating",
      message: expect.stringMatching(
        /^ErrImagePull: waiting for the registry: localhost\/nope:2: .*connection refused \(rolling-5bc495d949-\w+\)$/,
      ),
      ready_instances: 2,
      rollout: { state: "progressing" },
    },
  ],
  [
    "paused",
    {
      status: "Updating",
      message: "its rollout is paused: continue it with kubectl rollout resume",
      ready_instances: 1,
    },
  ],
  ["stopping", { status: "Stopping", ready_instances: 0 }],
  ["stopped", { status: "Stopped", ready_instances: 0 }],
  ["deleting", { status: "Deleting", status_since: "2026-11-22T12:02:33Z" }],
  ["one-crashes", { status: "Failed", message: "one-crashes-1 exited with code 5", ready_instances: 2 }],
  ["partition-updates", { status: "Updating", ready_instances: 1 }],
  ["partition-updated", { status: "Running", ready_instances: 2 }],
];

test.each(services)("a cluster's %s is told as it is", (name, expected) => {
  const [found] = findServices(...situation(name));

  expect(found && listedService(found.service, found.status)).toMatchObject(expected);
});

test.each(services.filter(([, expected]) => !("message" in expected)))("nothing unwell is told of %s", (name) => {
  const [found] = findServices(...situation(name));

  expect(found?.status).not.toHaveProperty("message", expect.anything());
});

test("a paused rollout names no revision, which isn't made yet", () => {
  const [found] = findServices(...situation("paused"));

  expect(found?.status.rollout).toMatchObject({ state: "progressing", updated: 0, oldReady: 1 });
  expect(found?.status.rollout?.to).toBeUndefined();
});

const jobs: readonly (readonly [name: keyof typeof situations, expected: object])[] = [
  [
    "job-never",
    {
      instance_names: ["job-never-kqb95", "job-never-86h52"],
      status: {
        conditions: [{ type: "Failed", reason: "BackoffLimitExceeded", message: "exit code 3 after 2 attempts" }],
        failed: 2,
      },
      restart_count: 1,
      last_state: { reason: "Error", exit_code: 3 },
      message: "exit code 3 after 2 attempts",
    },
  ],
  [
    // Kubernetes has deleted its pod, and the exit code with it.
    "job-fails",
    { instance_names: [], status: { failed: 2 }, message: "failed after 2 attempts", restart_count: 2 },
  ],
  [
    "job-no-image",
    {
      status: { active: 1 },
      message: expect.stringMatching(/^ImagePullBackOff: Back-off pulling image "localhost\/nope:1"/),
    },
  ],
  [
    "job-many",
    {
      instance_names: [expect.any(String), expect.any(String), expect.any(String)],
      spec: { parallelism: 2, completions: 3 },
      status: { conditions: [{ type: "Complete" }], succeeded: 3, completionTime: "2026-11-22T12:01:24Z" },
    },
  ],
  ["job-of-cron-job", { metadata: { name: "nightly-1795348920" }, status: { succeeded: 1 } }],
];

test.each(jobs)("a cluster's %s is told as it is", (name, expected) => {
  const [found] = findJobs(...situation(name));

  expect(found && readJob(found.job, found.around)).toMatchObject(expected);
});

test("a job of a CronJob names it", () => {
  const [found] = findJobs(...situation("job-of-cron-job"));

  expect(found).toMatchObject({ isAdopted: true, owner: { tool: "CronJob", words: "CronJob nightly" } });
});
