import type { Sent } from "./known-objects.ts";
import { deployment, job, ofCronJob, pod, statefulSet } from "./sent-objects.ts";
import { at, ended, noPods } from "./status-at.ts";

const progressing = (reason: string, status = "True") => ({ conditions: [{ type: "Progressing", status, reason }] });
const one = { replicas: 1, updatedReplicas: 1 };
const none = { readyReplicas: 0, availableReplicas: 0 };
/** A Deployment whose only instance isn't ready yet. */
const starting = { spec: { replicas: 1 }, status: { ...one, ...none, ...progressing("ReplicaSetUpdated") } };

const unready = (since: string) => ({
  type: "Ready",
  status: "False",
  message: "containers with unready status: [app]",
  lastTransitionTime: at(since),
});
const ready = (since: string) => ({
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(since) }] },
});
const neverReady = (since: string) => ({ startTime: at(since), conditions: [unready(since)] });
/** A pod of which a container can't start. */
const waiting = (since: string, reason: string, message: string) => ({
  status: { phase: "Pending", ...neverReady(since) },
  app: { ready: false, state: { waiting: { reason, message } } },
});
const loops = (restartCount: number, lastState: object) => ({
  ready: false,
  restartCount,
  state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } },
  lastState,
});

type More = Omit<Parameters<typeof pod>[1], "of">;
const podOf = (name: string, hash: string, id: string, more: More = {}) =>
  pod(`${name}-${hash}-${id}`, { of: { kind: "Deployment", name }, hash, ...more });
const podOfSet = (name: string, index: number, more: More = {}) =>
  pod(`${name}-${index}`, { of: { kind: "StatefulSet", name }, ...more });
/** A pod of a job that ran from one time to another. */
const ranFor = (name: string, id: string, from: string, to: string, exitCode = 0) =>
  pod(`${name}-${id}`, {
    of: { kind: "Job", name },
    metadata: { creationTimestamp: at(from) },
    status: { phase: exitCode === 0 ? "Succeeded" : "Failed" },
    app: { ready: false, state: ended(from, to, exitCode) },
  });
const over = (type: string, when: string, more: object = {}) => ({
  conditions: [{ type, status: "True", lastProbeTime: at(when), lastTransitionTime: at(when), ...more }],
  startTime: at("12:00:59"),
});
const usedUp = { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" };
const inPlace = { podSpec: { restartPolicy: "OnFailure" } };

const noImage = 'Back-off pulling image "localhost/nope:1"';
const noProgram =
  "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: " +
  'unable to start container process: exec: "/nope": stat /nope: no such file or directory: unknown';

/**
 * What a cluster of Kubernetes 1.20 sent, as far as it isn't that of objects with which all is well, and the time at which
 * it sent it.
 */
export const situations = {
  healthy: [
    at("12:02:38"),
    deployment("healthy", {
      spec: { replicas: 3 },
      status: { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
    }),
    podOf("healthy", "64b745675b", "cpffh", ready("12:01:05")),
    podOf("healthy", "64b745675b", "dk4sh", ready("12:01:03")),
    podOf("healthy", "64b745675b", "h4hb2", ready("12:02:27")),
  ],
  "crash-loop": [
    at("12:02:25"),
    deployment("crash-loop", starting),
    podOf("crash-loop", "c9cf6b794", "kbgzz", {
      status: neverReady("12:00:58"),
      app: loops(3, ended("12:01:47", "12:01:47", 3)),
    }),
  ],
  oom: [
    at("12:02:25"),
    deployment("oom", {
      spec: { replicas: 1 },
      status: { ...one, ...none, ...progressing("NewReplicaSetAvailable") },
    }),
    podOf("oom", "fd9c4d554", "htm2f", {
      status: { conditions: [unready("12:01:47")] },
      app: loops(3, {
        terminated: { exitCode: 137, reason: "OOMKilled", startedAt: at("12:01:46"), finishedAt: at("12:01:46") },
      }),
    }),
  ],
  "no-image": [
    at("12:02:25"),
    deployment("no-image", starting),
    podOf("no-image", "cf596db46", "z8425", waiting("12:00:58", "ImagePullBackOff", noImage)),
  ],
  "no-secret": [
    at("12:02:25"),
    deployment("no-secret", starting),
    podOf(
      "no-secret",
      "5b4b5787b5",
      "9vt9w",
      waiting("12:00:58", "CreateContainerConfigError", 'secret "absent" not found'),
    ),
  ],
  "no-program": [
    at("12:02:38"),
    deployment("no-program", starting),
    podOf("no-program", "b6ccbf98", "h7vpz", {
      status: neverReady("12:00:58"),
      app: {
        ready: false,
        restartCount: 4,
        state: { waiting: { reason: "RunContainerError", message: noProgram } },
        lastState: {
          terminated: {
            exitCode: 128,
            reason: "StartError",
            message: noProgram,
            startedAt: "1970-01-01T00:00:00Z",
            finishedAt: at("12:02:26"),
          },
        },
      },
    }),
  ],
  "init-fails": [
    at("12:02:25"),
    deployment("init-fails", starting),
    podOf("init-fails", "67647c4776", "kvcrz", {
      status: {
        phase: "Pending",
        ...neverReady("12:00:58"),
        initContainerStatuses: [{ name: "migrate", ...loops(3, ended("12:01:45", "12:01:45", 7)) }],
      },
      app: { ready: false, state: { waiting: { reason: "PodInitializing" } } },
    }),
  ],
  unschedulable: [
    at("12:02:25"),
    deployment("unschedulable", starting),
    podOf("unschedulable", "7fcfb889c7", "4zftw", {
      status: {
        phase: "Pending",
        conditions: [
          {
            type: "PodScheduled",
            status: "False",
            reason: "Unschedulable",
            message: "0/1 nodes are available: 1 Insufficient memory.",
            lastTransitionTime: at("12:00:58"),
          },
        ],
        containerStatuses: [],
      },
    }),
  ],
  unready: [
    at("12:02:25"),
    deployment("unready", starting),
    podOf("unready", "575554c8c9", "gsbtf", {
      status: {
        startTime: at("12:00:59"),
        conditions: [unready("12:00:59"), { type: "ContainersReady", status: "False" }],
      },
      app: { ready: false, state: { running: { startedAt: at("12:01:05") } } },
    }),
  ],
  quota: [
    at("12:02:25"),
    deployment("quota", {
      spec: { replicas: 3 },
      status: {
        ...one,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [
          {
            type: "ReplicaFailure",
            status: "True",
            message:
              'pods "quota-59c8fb67f-8vbrg" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
            lastTransitionTime: at("12:01:00"),
          },
          ...progressing("ReplicaSetUpdated").conditions,
        ],
      },
    }),
    podOf("quota", "59c8fb67f", "dj4mf"),
  ],
  deadline: [
    at("12:06:32"),
    deployment("deadline", {
      spec: { replicas: 1 },
      status: {
        ...one,
        ...none,
        conditions: [
          {
            type: "Progressing",
            status: "False",
            reason: "ProgressDeadlineExceeded",
            message: 'ReplicaSet "deadline-56bbb7bccc" has timed out progressing.',
            lastTransitionTime: at("12:01:21"),
          },
        ],
      },
    }),
    podOf("deadline", "56bbb7bccc", "78gr5", waiting("12:00:59", "ImagePullBackOff", noImage)),
  ],
  "stuck-update": [
    at("12:02:38"),
    deployment("rolling", {
      metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } },
      status: { replicas: 3, updatedReplicas: 1, ...progressing("ReplicaSetUpdated") },
    }),
    podOf("rolling", "5bc495d949", "wmnqb", {
      metadata: { creationTimestamp: at("12:02:25") },
      ...waiting(
        "12:02:25",
        "ErrImagePull",
        'rpc error: code = Unknown desc = failed to pull and unpack image "localhost/nope:2": failed to resolve reference ' +
          '"localhost/nope:2": failed to do request: Head "http://localhost/v2/nope/manifests/2": dial tcp 127.0.0.1:80: ' +
          "connect: connection refused",
      ),
    }),
    podOf("rolling", "6cd9bc944", "hxgg9"),
    podOf("rolling", "6cd9bc944", "m8bg8"),
  ],
  paused: [
    at("12:02:38"),
    deployment("paused", {
      metadata: { generation: 3 },
      spec: { replicas: 1, paused: true },
      status: {
        observedGeneration: 3,
        replicas: 1,
        updatedReplicas: 0,
        readyReplicas: 1,
        availableReplicas: 1,
        ...progressing("DeploymentPaused", "Unknown"),
      },
    }),
    podOf("paused", "5b45bfb6b5", "lfj5q"),
  ],
  stopping: [
    at("12:02:38"),
    deployment("grows", { spec: { replicas: 0 }, status: noPods }),
    podOf("grows", "664bdfdfc6", "rwzxw", { metadata: { deletionTimestamp: at("12:02:38") } }),
  ],
  stopped: [at("12:06:32"), deployment("grows", { spec: { replicas: 0 }, status: noPods })],
  deleting: [
    at("12:02:38"),
    deployment("deleting", {
      metadata: { deletionTimestamp: at("12:02:33") },
      spec: { replicas: 1 },
      status: noPods,
    }),
    podOf("deleting", "668cf8b69c", "kdnnb", { metadata: { deletionTimestamp: at("12:03:33") } }),
  ],
  "one-crashes": [
    at("12:02:38"),
    statefulSet("one-crashes", { spec: { replicas: 3 }, status: { replicas: 3, updatedReplicas: 3 } }),
    podOfSet("one-crashes", 0),
    podOfSet("one-crashes", 1, {
      status: neverReady("12:02:27"),
      app: loops(1, ended("12:02:28", "12:02:28", 5)),
    }),
    podOfSet("one-crashes", 2),
  ],
  "partition-updates": [
    at("12:02:38"),
    statefulSet("partitioned", {
      metadata: { generation: 2 },
      spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      status: { observedGeneration: 2, updatedReplicas: 0, readyReplicas: 1, updateRevision: "b" },
    }),
    podOfSet("partitioned", 0),
    podOfSet("partitioned", 1, { metadata: { deletionTimestamp: at("12:02:31") } }),
  ],
  "partition-updated": [
    at("12:06:32"),
    statefulSet("partitioned", {
      metadata: { generation: 2 },
      spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
      status: { observedGeneration: 2, updatedReplicas: 1, updateRevision: "b" },
    }),
    podOfSet("partitioned", 0),
    podOfSet("partitioned", 1, ready("12:02:57")),
  ],
  "job-never": [
    at("12:02:25"),
    job("job-never", { status: { ...over("Failed", "12:01:22", usedUp), failed: 2 } }),
    ranFor("job-never", "86h52", "12:01:12", "12:01:12", 3),
    ranFor("job-never", "kqb95", "12:01:05", "12:01:05", 3),
  ],
  "job-fails": [
    at("12:02:25"),
    job("job-fails", {
      spec: { backoffLimit: 2 },
      status: { ...over("Failed", "12:01:25", usedUp), failed: 1 },
      ...inPlace,
    }),
  ],
  "job-no-image": [
    at("12:02:25"),
    job("job-no-image", { status: { active: 1, startTime: at("12:00:59") }, ...inPlace }),
    pod("job-no-image-j7f8j", {
      of: { kind: "Job", name: "job-no-image" },
      ...waiting("12:00:59", "ImagePullBackOff", noImage),
    }),
  ],
  "job-many": [
    at("12:02:25"),
    job("job-many", {
      spec: { parallelism: 2, completions: 3 },
      status: { ...over("Complete", "12:01:24"), completionTime: at("12:01:24"), succeeded: 3 },
      ...inPlace,
    }),
    ranFor("job-many", "fmkf7", "12:01:06", "12:01:07"),
    ranFor("job-many", "p8mxx", "12:01:18", "12:01:20"),
    ranFor("job-many", "rscpc", "12:01:06", "12:01:08"),
  ],
  "job-of-cron-job": [
    at("12:02:25"),
    job("nightly-1795348920", {
      metadata: ofCronJob("nightly"),
      status: { ...over("Complete", "12:02:07"), completionTime: at("12:02:07"), succeeded: 1 },
      ...inPlace,
    }),
    ranFor("nightly-1795348920", "t7xgx", "12:02:06", "12:02:06"),
  ],
} as const satisfies Readonly<Record<string, readonly [now: string, ...sent: readonly Sent[]]>>;
