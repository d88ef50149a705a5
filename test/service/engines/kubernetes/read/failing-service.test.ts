import { expect, test } from "vitest";
import { shortened } from "../../../../../src/service/engines/kubernetes/read/pod-health.ts";
import { CREATED, deployment, pod } from "../support/sent-objects.ts";
import { at, ended, noPods, notReady, statusAt } from "../support/status-at.ts";

const of = { kind: "Deployment", name: "web" } as const;
const rollingOut = [
  { type: "Available", status: "True", lastTransitionTime: CREATED },
  { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", lastTransitionTime: CREATED },
];

test("while an update replaces a crash loop, the old instances don't make it fail; a new one that fails does", () => {
  const updating = deployment("web", {
    metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } },
    status: { replicas: 3, updatedReplicas: 1, readyReplicas: 0, availableReplicas: 0, conditions: rollingOut },
  });
  const loop = {
    restartCount: 9,
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: ended("12:29:00", "12:29:01"),
  };
  const old = pod("web-old", { of, app: loop, status: notReady("12:29:00") });
  const newer = (app: object) => {
    const metadata = { creationTimestamp: at("12:29:30"), labels: { app: "web", "pod-template-hash": "new" } };
    return pod("web-new", { of, hash: "new", metadata, app: { ready: false, ...app }, status: notReady("12:29:30") });
  };

  expect(statusAt("12:29:40", updating, old, newer({}))).toMatchObject({ state: "Updating" });
  expect(statusAt("12:29:40", updating, old, newer(loop))).toMatchObject({
    state: "Failed",
    message: "web-new exited with code 1",
  });
});

test("a crash loop is failing between two back-offs too, and until it has run for a minute", () => {
  const crashed = { ready: false, restartCount: 2, state: ended("12:29:00", "12:29:01") };
  const again = {
    restartCount: 2,
    lastState: ended("12:28:50", "12:29:01"),
    state: { running: { startedAt: at("12:29:02") } },
  };
  const web = deployment("web", { spec: { replicas: 1 } });

  expect(statusAt("12:29:02", web, pod("web-1", { of, app: crashed }))).toMatchObject({ state: "Failed" });
  expect(statusAt("12:29:30", web, pod("web-1", { of, app: again }))).toMatchObject({ state: "Failed" });
  expect(statusAt("12:31:00", web, pod("web-1", { of, app: again }))).toMatchObject({
    state: "Running",
    restartCount: 2,
    lastState: { exit_code: 1, finished_at: at("12:29:01") },
  });
});

test("one crash after days is no crash loop", () => {
  const long = {
    terminated: { exitCode: 1, reason: "Error", startedAt: "2026-11-19T12:00:00Z", finishedAt: at("12:29:01") },
  };
  const app = { restartCount: 1, lastState: long, state: { running: { startedAt: at("12:29:02") } } };

  const status = statusAt("12:29:10", deployment("web", { spec: { replicas: 1 } }), pod("web-1", { of, app }));

  expect(status).toMatchObject({
    state: "Running",
    restarts: { count: 1, first_at: at("12:29:01"), last_at: at("12:29:01"), last_reason: "web-1 exited with code 1" },
  });
});

test("restarts of an old pod are not sent as restarts of the last ten minutes, unless they can't be", () => {
  const app = (time: string) => ({ restartCount: 6, lastState: ended("12:00:00", time) });
  const web = deployment("web", { spec: { replicas: 1 } });

  const recent = statusAt("12:30:00", web, pod("web-1", { of, app: app("12:29:00") }));
  const old = statusAt("12:30:00", web, pod("web-1", { of, app: app("12:10:00") }));

  expect(recent).toMatchObject({ restartCount: 6 });
  expect(recent).not.toHaveProperty("restarts");
  expect(old).toMatchObject({ restartCount: 6, restarts: { count: 0 } });
});

test("an instance that fits on no node fails after five minutes, in which an autoscaler may bring one", () => {
  const message = "0/3 nodes are available: 3 Insufficient memory.";
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastTransitionTime: CREATED,
  };
  const sent = [
    deployment("web", { status: { ...noPods, replicas: 2, updatedReplicas: 2 } }),
    pod("web-1", { of, status: { phase: "Pending", conditions: [condition], containerStatuses: null } }),
  ];

  const expected = { message: `Unschedulable: ${message} (web-1)`, since: CREATED };
  expect(statusAt("12:04:00", ...sent)).toMatchObject({ state: "Starting", ...expected });
  expect(statusAt("12:06:00", ...sent)).toMatchObject({ state: "Failed", ...expected });
});

test("an evicted pod is a record: it neither fails the service nor keeps it stopping, but says why one is missing", () => {
  const message = "The node was low on resource: memory.";
  const evicted = pod("web-1", { of, status: { phase: "Failed", reason: "Evicted", message, conditions: null } });
  const starting = pod("web-2", { of, status: notReady("12:29:59"), app: { ready: false } });
  const replacing = deployment("web", {
    spec: { replicas: 1 },
    status: { availableReplicas: 0, replicas: 1, updatedReplicas: 1, readyReplicas: 0 },
  });

  expect(statusAt("12:30:00", deployment("web", { spec: { replicas: 0 }, status: noPods }), evicted)).toMatchObject({
    state: "Stopped",
  });
  expect(statusAt("12:30:00", replacing, evicted, starting)).toMatchObject({
    message: `Evicted: ${message} (web-1)`,
  });
  expect(statusAt("12:30:00", deployment("web"), evicted, pod("web-2", { of }), pod("web-3", { of }))).toMatchObject({
    state: "Running",
  });
});

test("a service with two containers names the one that failed", () => {
  const containers = { containers: [{ name: "app" }, { name: "proxy" }] };
  const containerStatuses = [
    { name: "app", ready: true, restartCount: 0, state: { running: { startedAt: CREATED } } },
    {
      name: "proxy",
      ready: false,
      restartCount: 3,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: ended("12:29:00", "12:29:01", 2),
    },
  ];

  const status = statusAt(
    "12:30:00",
    deployment("web"),
    pod("web-1", { of, spec: containers, status: { containerStatuses } }),
  );

  expect(status?.message).toBe("container proxy of web-1 exited with code 2");
});

test.each([
  [
    'rpc error: code = NotFound desc = failed to pull and unpack image "shop/web:9": failed to resolve reference "shop/web:9": shop/web:9: not found',
    "shop/web:9: not found",
  ],
  [
    'failed to pull and unpack image "shop/web:9": failed to resolve reference "shop/web:9": unexpected status code 403 Forbidden',
    "shop/web:9: unexpected status code 403 Forbidden",
  ],
  [
    'Back-off pulling image "shop/web:9": ErrImagePull: failed to pull and unpack image "shop/web:9": unexpected EOF',
    'Back-off pulling image "shop/web:9": ErrImagePull: shop/web:9: unexpected EOF',
  ],
])("a message of containerd names its image once: %s", (message, told) => {
  expect(shortened(message)).toBe(told);
});
