import { expect, test } from "vitest";
import { deployment, pod, statefulSet } from "../support/sent-objects.ts";
import { at, ended, noPods, notReady, statusAt } from "../support/status-at.ts";

const of = { kind: "Deployment", name: "web" } as const;
const ofSet = { kind: "StatefulSet", name: "db" } as const;

test("a Deployment's own period of readiness is reported", () => {
  const patient = deployment("web", { spec: { minReadySeconds: 30 } });

  expect(statusAt("12:30:00", patient, pod("web-1", { of }), pod("web-2", { of }))).toMatchObject({
    state: "Running",
    minReadySeconds: 30,
  });
  expect(statusAt("12:30:00", deployment("web"), pod("web-1", { of }))).not.toHaveProperty("minReadySeconds");
});

test("a new service starts, before its controller saw it and until an instance is ready", () => {
  const unseen = { ...noPods, observedGeneration: 0, conditions: [] };
  const waiting = { state: { waiting: { reason: "ContainerCreating" } }, ready: false };
  const first = pod("web-1", { of, app: waiting, status: notReady("12:00:00") });

  expect(statusAt("12:00:00", deployment("web", { status: unseen }))).toMatchObject({ state: "Starting" });
  expect(
    statusAt("12:00:02", deployment("web", { status: { ...noPods, replicas: 1, updatedReplicas: 1 } }), first),
  ).toEqual(expect.objectContaining({ state: "Starting", ready: 0, message: undefined }));
});

test("a new service starts until all its instances are ready: none of them replaces another one", () => {
  const some = { readyReplicas: 1, availableReplicas: 1 };
  const making = { ...some, conditions: [{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated" }] };
  const finished = { ...some, conditions: [{ type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" }] };
  const late = pod("web-2", { of, status: notReady("12:00:01") });

  expect(statusAt("12:00:09", deployment("web", { status: making }), pod("web-1", { of }), late)).toMatchObject({
    state: "Starting",
    ready: 1,
  });
  expect(
    statusAt("12:00:09", statefulSet("db", { status: { readyReplicas: 1, replicas: 1 } }), pod("db-0", { of: ofSet })),
  ).toMatchObject({ state: "Starting", ready: 1 });
  // It ran everywhere before, or somebody changed it since.
  expect(statusAt("12:30:00", deployment("web", { status: finished }), pod("web-1", { of }), late)).toMatchObject({
    state: "Updating",
  });
  const scaled = deployment("web", { metadata: { generation: 2 }, status: { ...making, observedGeneration: 2 } });
  expect(statusAt("12:30:00", scaled, pod("web-1", { of }), late)).toMatchObject({ state: "Updating" });
});

test("a service whose address or domains are still to be made starts, though its pods run", () => {
  const making = { annotations: { "gantry/making": '{"domains":["shop.example.com"],"port":8080,"claims":[]}' } };

  expect(
    statusAt("12:30:00", deployment("web", { metadata: making }), pod("web-1", { of }), pod("web-2", { of })),
  ).toMatchObject({ state: "Starting", ready: 2 });
});

test("a service that is started again starts, however long that takes", () => {
  const started = deployment("web", { metadata: { generation: 5 }, status: { ...noPods, observedGeneration: 4 } });
  const slow = deployment("web", { status: { ...noPods, replicas: 1, updatedReplicas: 1 } });

  expect(statusAt("12:30:00", started)).toMatchObject({ state: "Starting" });
  expect(statusAt("12:30:00", slow, pod("web-1", { of, status: notReady("12:00:00") }))).toMatchObject({
    state: "Starting",
    message: "web-1 isn't ready",
  });
});

const lost = deployment("web", { status: { ...noPods, replicas: 2, updatedReplicas: 2 } });

test("a service that lost all its instances has failed after a minute, since the last was lost", () => {
  const pods = [pod("web-1", { of, status: notReady("12:20:00") }), pod("web-2", { of, status: notReady("12:20:30") })];

  expect(statusAt("12:21:30", lost, ...pods)).toMatchObject({ state: "Updating", ready: 0 });
  expect(statusAt("12:21:31", lost, ...pods)).toMatchObject({
    state: "Failed",
    message: "no instance is ready: web-1 isn't ready",
    since: at("12:20:30"),
  });
});

test("instances whose node stopped reporting say so, also while Kubernetes can't remove them", () => {
  const conditions = [
    { type: "ContainersReady", status: "True", lastTransitionTime: at("12:00:01") },
    { type: "Ready", status: "False", lastTransitionTime: at("12:20:00") },
  ];
  const onLostNode = (more: object = {}) =>
    pod("web-1", { of, status: { conditions }, spec: { nodeName: "n1" }, ...more });
  const half = deployment("web", { status: { ...noPods, replicas: 2, updatedReplicas: 2, readyReplicas: 1 } });
  const removed = onLostNode({ metadata: { deletionTimestamp: at("12:25:30") } });
  const pending = pod("web-3", { of, status: { phase: "Pending", conditions: [], startTime: null } });

  expect(statusAt("12:30:00", lost, onLostNode())).toMatchObject({
    state: "Failed",
    message: "no instance is ready: web-1 isn't ready: its containers were when its node n1 stopped reporting",
    since: at("12:20:00"),
  });
  expect(statusAt("12:30:00", half, onLostNode(), pod("web-2", { of }))).toMatchObject({
    state: "Updating",
    message: "web-1 isn't ready: its containers were when its node n1 stopped reporting",
  });
  expect(statusAt("12:30:00", lost, removed, pending)).toMatchObject({
    state: "Failed",
    message: "no instance is ready: the node of web-1 stopped reporting",
    since: at("12:25:30"),
  });
});

test("an instance that waits for a readiness gate names it", () => {
  const conditions = [
    { type: "ContainersReady", status: "True", lastTransitionTime: at("12:00:01") },
    {
      type: "Ready",
      status: "False",
      lastTransitionTime: at("12:20:00"),
      message: 'corresponding condition of pod readiness gate "lb/ready" does not exist.',
    },
  ];
  const gated = pod("web-1", { of, status: { conditions }, spec: { readinessGates: [{ conditionType: "lb/ready" }] } });

  expect(statusAt("12:30:00", lost, gated)?.message).toContain('readiness gate "lb/ready"');
});

test("a restart is an update from the moment it is accepted, though the old pods still run", () => {
  const accepted = deployment("web", { metadata: { generation: 2 } });

  expect(statusAt("12:30:00", accepted, pod("web-1", { of }), pod("web-2", { of }))).toMatchObject({
    state: "Updating",
    ready: 2,
  });
});

test("a rollout that made no progress in time fails with what its instance says, else with Kubernetes' text", () => {
  const conditions = [
    {
      type: "Progressing",
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message: 'ReplicaSet "web-1" has timed out progressing.',
      lastTransitionTime: at("12:10:00"),
    },
  ];
  const unready = pod("web-1", { of, status: notReady("12:00:00"), app: { ready: false } });
  const late = deployment("web", { status: { ...noPods, replicas: 1, conditions } });

  expect(statusAt("12:30:00", late, unready)).toMatchObject({
    state: "Failed",
    message: "its rollout made no progress in time: web-1 isn't ready",
    since: at("12:10:00"),
  });
  expect(statusAt("12:30:00", late)).toMatchObject({
    state: "Failed",
    message: 'its rollout made no progress in time: ReplicaSet "web-1" has timed out progressing.',
  });
});

test("a StatefulSet updates from the moment it is accepted; with OnDelete, an update waits for nobody", () => {
  const changed = { updateRevision: "b", updatedReplicas: 0 };
  const pods = [pod("db-0", { of: ofSet }), pod("db-1", { of: ofSet })];
  const onDelete = { updateStrategy: { type: "OnDelete" } };

  expect(statusAt("12:30:00", statefulSet("db", { metadata: { generation: 2 } }), ...pods)?.state).toBe("Updating");
  expect(statusAt("12:30:00", statefulSet("db", { status: changed }), ...pods)?.state).toBe("Updating");
  expect(statusAt("12:30:00", statefulSet("db", { status: changed, spec: onDelete }), ...pods)?.state).toBe("Running");
});

test("a service that was asked to have no instances runs; one that was stopped is stopped", () => {
  const spec = { replicas: 0 };
  const status = noPods;

  expect(statusAt("12:30:00", deployment("web", { spec, status }))?.state).toBe("Stopped");
  expect(
    statusAt("12:30:00", deployment("web", { spec, status, metadata: { annotations: { "gantry/idle": "true" } } }))
      ?.state,
  ).toBe("Running");
});

test("pods of somebody else don't count, even where the selector matches them", () => {
  const loop = {
    ready: false,
    restartCount: 9,
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: ended("12:29:00", "12:29:01"),
  };
  const stray = pod("stray", { of: undefined, app: loop, metadata: { labels: { app: "web" } } });
  const other = pod("web-a-1", {
    of: { kind: "Deployment", name: "web-a" },
    app: loop,
    metadata: { labels: { app: "web", "pod-template-hash": "5d4f8c7b9" } },
  });

  const status = statusAt("12:30:00", deployment("web"), pod("web-1", { of }), pod("web-2", { of }), stray, other);

  expect(status).toMatchObject({ state: "Running", ready: 2, restartCount: 0 });
});

test("pods that still end after a deleted service of the same name are not the new one's", () => {
  const old = pod("web-old", {
    of,
    metadata: {
      creationTimestamp: "2026-11-22T11:00:00Z",
      deletionTimestamp: at("11:59:59"),
      labels: { app: "web", "pod-template-hash": "5d4f8c7b9" },
    },
  });
  const stopped = deployment("web", { spec: { replicas: 0 }, status: noPods });

  expect(statusAt("12:00:05", stopped, old)?.state).toBe("Stopped");
});
