import { expect, test } from "vitest";
import type { Evidence } from "../../../../../src/service/engines/kubernetes/read/evidence.ts";
import { kinds } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import { CREATED, deployment, pod } from "../support/sent-objects.ts";
import { at, ended, noPods, notReady, statusAt, statusBy } from "../support/status-at.ts";

const of = { kind: "Deployment", name: "web" } as const;
const IMAGE = "shop/web:9";
const REFUSED = `failed to pull and unpack image "${IMAGE}": failed to do request: Head "https://r/v2": dial tcp 10.0.0.9:443: connect: connection refused`;
const ABSENT = `rpc error: code = NotFound desc = failed to pull and unpack image "${IMAGE}": ${IMAGE}: not found`;

/** An update of which nothing is ready yet, beside an old instance that serves. */
const updating = (conditions: readonly object[] = []) =>
  deployment("web", {
    metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } },
    spec: { progressDeadlineSeconds: 120 },
    status: { updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions },
  });
const gaveUpAt = (time: string) => [
  {
    type: "Progressing",
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: "it has timed out progressing.",
    lastTransitionTime: at(time),
  },
];

/** The new instance, made at 12:10. */
const newer = (app: object, more: object = {}) =>
  pod("web-new", {
    of,
    hash: "new",
    metadata: { creationTimestamp: at("12:10:00") },
    spec: { containers: [{ name: "app", image: IMAGE }] },
    app: { ready: false, ...app },
    status: { ...notReady("12:10:00"), startTime: at("12:10:00"), ...more },
  });
const old = pod("web-old", { of });
const waits = (reason: string, message?: string) => ({ state: { waiting: { reason, message } } });

/** What is known at a time, with these warnings about the new instance. */
function by(
  time: string,
  ...warnings: readonly [reason: string, message: string, last: string, first?: string][]
): Evidence {
  const events = warnings.map(([reason, message, last, first = last], index) =>
    kinds.Event.schema.parse({
      metadata: { name: `web-new.${index}`, uid: String(index), resourceVersion: "1", creationTimestamp: at(first) },
      involvedObject: { kind: "Pod", name: "web-new", uid: "uid of Pod web-new" },
      reason,
      message,
      type: "Warning",
      count: 3,
      firstTimestamp: at(first),
      lastTimestamp: at(last),
    }),
  );
  return { now: new Date(at(time)), podEvents: new Map([["uid of Pod web-new", events]]) };
}

test.each([
  REFUSED,
  "rpc error: code = Unknown desc = failed to resolve reference: dial tcp: lookup r.example.com on 10.0.0.2:53: no such host",
  'failed to do request: Head "https://r/v2": dial tcp 10.0.0.9:443: i/o timeout',
  'failed to do request: Get "https://r/v2": net/http: TLS handshake timeout',
  "unexpected status code [manifests 9]: 503 Service Unavailable",
  "httpReadSeeker: failed open: unexpected status from GET request to https://r/v2/blobs: 429 Too Many Requests",
  "toomanyrequests: You have reached your pull rate limit.",
  'error pinging docker registry r: Get "https://r/v2/": EOF',
  "received unexpected HTTP status: 502 Bad Gateway",
])("a registry that doesn't answer says nothing about a version, however long: %s", (message) => {
  for (const time of ["12:10:05", "14:00:00"]) {
    const status = statusAt(time, updating(), old, newer(waits("ErrImagePull", message)));

    expect(status).toMatchObject({ state: "Updating", ready: 1, rollout: { state: "progressing" } });
    expect(status?.message).toMatch(/^ErrImagePull: waiting for the registry: .+ \(web-new\)$/u);
  }
});

test.each([
  ABSENT,
  `${IMAGE.replace("9", "503")}: not found`,
  "pull access denied, repository does not exist or may require authorization",
  "unexpected status code [manifests 9]: 403 Forbidden",
])("an image that isn't there fails the version, but not at the first try: %s", (message) => {
  const seen = (time: string) => statusAt(time, updating(), old, newer(waits("ErrImagePull", message)));

  expect(seen("12:10:05")).toMatchObject({ state: "Updating", rollout: { state: "progressing" } });
  expect(seen("12:10:59")).toMatchObject({ state: "Updating" });
  expect(seen("12:11:01")).toMatchObject({ state: "Failed", rollout: { state: "stuck" } });
  expect(seen("12:10:05")?.message).toBe(seen("12:11:01")?.message);
});

test("while an older kubelet waits for its next try, its events say why the last one failed", () => {
  const backOff = newer(waits("ImagePullBackOff", `Back-off pulling image "${IMAGE}"`));
  const failed = (message: string) =>
    ["Failed", `Failed to pull image "${IMAGE}": ${message}`, "12:10:50", "12:10:01"] as const;

  expect(statusBy(by("12:11:10", [...failed(REFUSED)]), updating(), old, backOff)).toMatchObject({
    state: "Updating",
    message: `ImagePullBackOff: waiting for the registry: ${IMAGE}: failed to do request: Head "https://r/v2": dial tcp 10.0.0.9:443: connect: connection refused (web-new)`,
  });
  expect(statusBy(by("12:11:10", [...failed(ABSENT)]), updating(), old, backOff)).toMatchObject({
    state: "Failed",
    message: `ImagePullBackOff: ${IMAGE}: not found (web-new)`,
  });
  // Of another container.
  const other = ["Failed", `Failed to pull image "proxy:1": ${REFUSED}`, "12:10:55"] as const;
  expect(statusBy(by("12:11:10", [...failed(ABSENT)], [...other]), updating(), old, backOff)?.state).toBe("Failed");
});

test("until an event says why, an older kubelet's wait for its next try is no evidence, for a minute", () => {
  const gaveUp = updating(gaveUpAt("12:10:10"));
  const backOff = newer(waits("ImagePullBackOff", `Back-off pulling image "${IMAGE}"`));
  const absent = newer(waits("ErrImagePull", ABSENT));

  expect(statusAt("12:10:30", gaveUp, old, backOff)?.state).toBe("Updating");
  expect(statusAt("12:11:01", gaveUp, old, backOff)?.state).toBe("Failed");
  expect(statusAt("12:10:30", gaveUp, old, absent)?.state).toBe("Failed");
});

test("a registry that comes back without the image for a moment has as long as it would have had at first", () => {
  const absent = newer(waits("ErrImagePull", ABSENT));
  const events = [
    ["Failed", `Failed to pull image "${IMAGE}": ${REFUSED}`, "12:40:00", "12:10:14"],
    ["Failed", `Failed to pull image "${IMAGE}": ${ABSENT}`, "12:40:20", "12:10:01"],
  ] as const;
  const seen = (time: string) => statusBy(by(time, [...events[0]], [...events[1]]), updating(), old, absent)?.state;

  expect(seen("12:40:30")).toBe("Updating");
  expect(seen("12:40:59")).toBe("Updating");
  expect(seen("12:41:01")).toBe("Failed");
});

test("a rollout that Kubernetes gave up because of the registry goes on, and has its whole time again once it has begun", () => {
  const gaveUp = updating(gaveUpAt("12:12:00"));
  const away = newer(waits("ErrImagePull", REFUSED));
  const begun = (restartCount = 0, more: object = {}) =>
    newer({ restartCount, state: { running: { startedAt: at("12:30:00") } } }, more);

  expect(statusAt("12:29:00", gaveUp, old, away)).toMatchObject({
    state: "Updating",
    rollout: { state: "progressing" },
  });
  expect(statusAt("12:30:10", gaveUp, old, begun())?.state).toBe("Updating");
  expect(statusAt("12:31:59", gaveUp, old, begun())?.state).toBe("Updating");
  expect(statusAt("12:32:01", gaveUp, old, begun())?.state).toBe("Failed");
  // It is ready, and the controller hasn't said so yet.
  const ready = begun(0, { conditions: [{ type: "Ready", status: "True" }] });
  expect(statusAt("12:30:10", gaveUp, old, ready)?.state).toBe("Updating");
  // It began before, and only again.
  expect(statusAt("12:31:30", gaveUp, old, begun(1))?.state).toBe("Failed");
});

const outage = (from: string, until: string | undefined) => ({
  from: new Date(at(from)),
  until: until === undefined ? undefined : new Date(at(until)),
});

test("deadlines stand still while the API server doesn't answer", () => {
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    lastTransitionTime: at("12:10:00"),
  };
  const unscheduled = newer({}, { phase: "Pending", conditions: [condition], containerStatuses: null });
  const seen = (time: string, web: ReturnType<typeof deployment>, instance: ReturnType<typeof pod>) => {
    const outages = [outage("12:00:00", "12:01:00"), outage("12:11:00", "12:20:00"), outage("12:50:00", undefined)];
    return statusBy({ now: new Date(at(time)), outages }, web, old, instance)?.state;
  };

  // Five minutes, and the nine of the outage.
  expect(seen("12:23:59", updating(), unscheduled)).toBe("Updating");
  expect(seen("12:24:01", updating(), unscheduled)).toBe("Failed");
  // The controller's own deadline went on: its two minutes passed in the outage.
  const silent = newer({ state: { running: { startedAt: at("12:10:01") } } });
  expect(seen("12:20:01", updating(gaveUpAt("12:20:00")), silent)).toBe("Updating");
  expect(seen("12:21:59", updating(gaveUpAt("12:20:00")), silent)).toBe("Updating");
  expect(seen("12:22:01", updating(gaveUpAt("12:20:00")), silent)).toBe("Failed");
  expect(seen("12:40:01", updating(gaveUpAt("12:40:00")), silent)).toBe("Failed");
});

test("a node or a container runtime that goes away is no crash", () => {
  const unknown = { exitCode: 255, reason: "Unknown", startedAt: at("12:10:00"), finishedAt: at("12:12:00") };
  const web = deployment("web", { spec: { replicas: 1 } });
  const again = (restartCount: number) =>
    pod("web-1", {
      of,
      app: { restartCount, lastState: { terminated: unknown }, state: { running: { startedAt: at("12:12:05") } } },
    });
  const back = pod("web-1", {
    of,
    status: notReady("12:12:00"),
    app: { ready: false, restartCount: 1, lastState: { terminated: unknown }, ...waits("CrashLoopBackOff") },
  });
  const lost = deployment("web", { spec: { replicas: 1 }, status: { ...noPods, replicas: 1, updatedReplicas: 1 } });

  expect(statusAt("12:12:10", web, again(1))).toMatchObject({
    state: "Running",
    restartCount: 0,
    restarts: { count: 0 },
  });
  expect(statusAt("12:12:10", web, again(1))?.lastState).toBeUndefined();
  // One was a crash, but how that ended is forgotten.
  expect(statusAt("12:12:10", web, again(2))).toMatchObject({ state: "Running", restartCount: 1 });
  expect(statusAt("12:12:10", web, again(2))).not.toHaveProperty("restarts");
  expect(statusAt("12:12:10", lost, back)).toMatchObject({
    state: "Updating",
    message: "web-1 ended with its node or container runtime",
  });
});

test("an instance that its node shuts down, or an eviction, doesn't fail by how it ends", () => {
  const crashed = { ready: false, restartCount: 1, state: ended("12:10:05", "12:10:09", 137) };
  const disruption = { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" };
  const unready = notReady("12:10:00");
  const ending = newer(crashed, { conditions: [...unready.conditions, disruption] });

  expect(statusAt("12:10:10", updating(), old, newer(crashed))?.state).toBe("Failed");
  expect(statusAt("12:10:10", updating(), old, ending)?.state).toBe("Updating");
});

test("a rollout whose new instance was lost with its node isn't stuck, though nothing is ready", () => {
  const lost = deployment("web", {
    metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } },
    spec: { replicas: 1 },
    status: {
      ...noPods,
      replicas: 1,
      updatedReplicas: 1,
      conditions: [{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated" }],
    },
  });
  const conditions = [
    { type: "ContainersReady", status: "True", lastTransitionTime: at("12:10:05") },
    { type: "Ready", status: "False", lastTransitionTime: at("12:11:00") },
  ];

  expect(
    statusAt("12:13:00", lost, newer({ ready: true, state: { running: { startedAt: CREATED } } }, { conditions })),
  ).toMatchObject({
    state: "Failed",
    message: "no instance is ready: web-new isn't ready: its containers were when its node stopped reporting",
    rollout: { state: "progressing" },
  });
  expect(statusAt("12:13:00", lost, newer({}, notReady("12:11:00")))?.rollout).toMatchObject({ state: "stuck" });
});

test("a container runtime or a webhook of the cluster that doesn't answer says nothing about a version", () => {
  const late = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";
  const hook = "Exec lifecycle hook failed: dial tcp 10.0.0.9:5432: connect: connection refused";
  const failure = (message: string) =>
    updating([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message, lastTransitionTime: at("12:10:00") },
    ]);
  const webhook =
    'Internal error occurred: failed calling webhook "check.example.com": Post "https://check": dial tcp 10.0.0.9:443: connect: connection refused';

  expect(statusAt("12:20:00", updating(), old, newer(waits("CreateContainerError", late)))).toMatchObject({
    state: "Updating",
    message: `CreateContainerError: waiting for the node's container runtime: context deadline exceeded (web-new)`,
  });
  // The workload's own.
  expect(statusAt("12:20:00", updating(), old, newer(waits("PostStartHookError", hook)))?.state).toBe("Failed");
  expect(statusAt("12:20:00", failure(webhook), old)).toMatchObject({ state: "Updating", message: webhook });
  expect(statusAt("12:20:00", failure("exceeded quota: few"), old)?.state).toBe("Failed");
});

const creating = newer(waits("ContainerCreating"), {
  conditions: [
    {
      type: "Ready",
      status: "False",
      lastTransitionTime: at("12:10:00"),
      message: "containers with unready status: [app]",
    },
  ],
});
const SECRET = 'MountVolume.SetUp failed for volume "data" : secret "db" not found';

test.each([
  ["FailedMount", SECRET],
  ["FailedAttachVolume", 'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node'],
  ["FailedMapVolume", 'MapVolume.SetUpDevice failed for volume "raw" : no such device'],
  ["FailedCreatePodSandBox", 'Failed to create pod sandbox: plugin type="calico" failed: no IP addresses left'],
])("what keeps an instance from being made is said at once, and still after a minute: %s", (reason, message) => {
  for (const [time, last] of [
    ["12:10:12", "12:10:08"],
    ["12:15:00", "12:13:30"],
  ] as const) {
    const status = statusBy(by(time, [reason, message, last, "12:10:01"]), updating(), old, creating);

    expect(status).toMatchObject({ state: "Updating", message: `${reason}: ${message} (web-new)` });
  }
  const gaveUp = statusBy(
    by("12:15:00", [reason, message, "12:13:30", "12:10:01"]),
    updating(gaveUpAt("12:12:00")),
    old,
    creating,
  );
  expect(gaveUp).toMatchObject({
    state: "Failed",
    message: `its rollout made no progress in time: ${reason}: ${message} (web-new)`,
  });
});

test("of several volumes, the one that is missing is told, not that one is", () => {
  const summary =
    "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data]: timed out waiting for the condition";
  const events = by(
    "12:15:00",
    ["FailedMount", SECRET, "12:14:00", "12:10:01"],
    ["FailedMount", summary, "12:14:50", "12:12:04"],
  );

  expect(statusBy(events, updating(), old, creating)?.message).toBe(`FailedMount: ${SECRET} (web-new)`);
});

test("a volume that is there by now isn't told, while the image is pulled or after the containers have begun", () => {
  // Failed for five seconds: the kubelet would have tried again long since.
  const before = ["FailedMount", SECRET, "12:10:06", "12:10:01"] as const;
  const running = newer({ state: { running: { startedAt: at("12:10:08") } } });

  expect(statusBy(by("12:10:20", [...before]), updating(), old, creating)?.message).toContain("FailedMount");
  expect(statusBy(by("12:10:40", [...before]), updating(), old, creating)?.message).toBeUndefined();
  expect(statusBy(by("12:10:12", [...before]), updating(), old, running)?.message).toBeUndefined();
});
