import { expect, test } from "vitest";
import { jobKinds, serviceKinds } from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { evidenceReader } from "../../../../../src/service/engines/kubernetes/read/evidence.ts";
import { readOperations } from "../../../../../src/service/engines/kubernetes/read/read-operations.ts";
import { until } from "../../../../support/until.ts";
import { openCachedCluster } from "../support/cached-cluster.ts";
import { config, namespacesOf } from "../support/known-objects.ts";
import { deployment, job, object, pod, statefulSet } from "../support/sent-objects.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const at = (time: string) => `2026-11-22T${time}Z`;
const asked = { user: { username: "dana" }, signal: new AbortController().signal, query: undefined, body: undefined };

/** A cluster at half past twelve. Its events are about the object that was put last, unless they name another. */
async function town() {
  const kinds = [...new Set([...serviceKinds(config), ...jobKinds(config)])];
  const { server, api, cacheOf } = await openCachedCluster({ kinds });
  const { objects } = server;
  const clock = stillClock(new Date(at("12:30:00")));
  const evidenceIn = evidenceReader({ api, cacheOf, clock });
  const region = { config, api, version: "v1.20.2", namespaces: namespacesOf(config), cacheOf, evidenceIn };
  const { getService, getJob, listServices, listJobs } = readOperations({
    regions: new Map([["us", region]]),
    clock,
  });
  let last = { name: "", uid: "" };
  let events = 0;
  const inUs = { ...asked, path: { region: "us" } };
  return {
    server,
    put: (resource: string, object: object) => {
      last = objects.put(resource, "team", object).metadata;
      return last;
    },
    event: (reason: string, message: string, more: object = {}) => {
      events += 1;
      const name = `${last.name}.${events}`;
      const times = { firstTimestamp: at("12:00:00"), lastTimestamp: at("12:20:00"), count: 1, type: "Warning" };
      const involvedObject = { kind: "Pod", name: last.name, uid: last.uid };
      objects.put("events", "team", { metadata: { name }, involvedObject, reason, message, ...times, ...more });
    },
    service: (name: string) => getService({ ...asked, path: { region: "us", service_name: name } }),
    job: (name: string) => getJob({ ...asked, path: { region: "us", job_name: name } }),
    lists: async () => [await listServices(inUs), await listJobs(inUs)],
    later: (ms: number) => clock.passMs(ms),
    eventRequests: () => server.requests.filter(({ resource }) => resource === "events"),
  };
}

const of = { kind: "Deployment", name: "web" } as const;
const none = { replicas: 1, updatedReplicas: 1, readyReplicas: 0, availableReplicas: 0 };
const waiting = (reason: string) => ({
  status: {
    conditions: [{ type: "Ready", status: "False", lastTransitionTime: at("12:00:00") }],
    containerStatuses: [{ name: "app", ready: false, restartCount: 0, state: { waiting: { reason } } }],
  },
});

test("a service that isn't well tells what the cluster reports of it and of its instances, the newest first", async () => {
  const { put, event, service, lists, eventRequests } = await town();
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...waiting("ContainerCreating") }));
  event("FailedMount", 'MountVolume.SetUp failed for volume "data" : secret "db" not found', { count: 12 });
  event("Scheduled", "Successfully assigned team/web-a to node-1", { type: "Normal" });
  event("Killing", "Container app failed liveness probe, will be restarted", {
    type: "Normal",
    lastTimestamp: at("12:25:00"),
  });
  event("Killing", "Stopping container app", { type: "Normal" });
  event("FailedScheduling", "0/1 nodes are available: 1 Insufficient memory.", {
    count: null,
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: at("12:05:00"),
    series: { count: 3, lastObservedTime: at("12:06:00") },
  });
  event("Failed", "Error: ImagePullBackOff", { lastTimestamp: at("11:00:00") });
  put("pods", pod("stray", { of: undefined }));
  event("FailedMount", "of another pod");

  const { events } = await service("web");

  expect(events).toEqual([
    {
      reason: "Killing",
      message: "Container app failed liveness probe, will be restarted",
      object: "web-a",
      count: 1,
      last_at: "2026-11-22T12:25:00.000Z",
    },
    expect.objectContaining({ reason: "FailedMount", object: "web-a", count: 12 }),
    expect.objectContaining({ reason: "FailedScheduling", count: 3, last_at: "2026-11-22T12:06:00.000Z" }),
  ]);
  expect(eventRequests()).toHaveLength(3);
  // The kubelet has had its volumes for long, or it would have tried again.
  expect(JSON.stringify(await lists())).not.toContain("FailedMount");
  expect(eventRequests()).toHaveLength(3);
});

test("the same of several instances is told once, at most three of them are asked about, and long texts are cut", async () => {
  const { put, event, service, eventRequests } = await town();
  put("deployments", deployment("web", { spec: { replicas: 5 }, status: { ...none, replicas: 5 } }));
  for (const name of ["web-a", "web-b", "web-c", "web-d", "web-e"]) {
    put("pods", pod(name, { of, ...waiting("ContainerCreating") }));
    event("FailedMount", `no disk ${"x".repeat(5_000)}`);
    for (let n = 0; n < 20; n += 1) event("Failed", `attempt ${n}`, { lastTimestamp: at("12:01:00") });
  }

  const { events = [] } = await service("web");

  expect(events).toHaveLength(10);
  expect(events[0]).toMatchObject({ reason: "FailedMount", count: 3 });
  expect(events[0]).not.toHaveProperty("object");
  expect(events[0]?.message.length).toBeLessThanOrEqual(600);
  expect(eventRequests().map(({ query }) => query.get("limit"))).toEqual(["500", "100", "100", "100", "100"]);
});

const SECRET = 'MountVolume.SetUp failed for volume "data" : secret "db" not found';
const now = { firstTimestamp: at("12:29:00"), lastTimestamp: at("12:29:58") };
/** Since when the kubelet has it; its containers aren't made yet. */
const made = (time: string, reason = "ContainerCreating") => {
  const { status } = waiting(reason);
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime: at(time) }];
  return { status: { ...status, conditions, startTime: at(time) } };
};

test("lists tell why a volume can't be mounted and an image isn't pulled, for one request in ten seconds", async () => {
  const { put, event, lists, later, eventRequests } = await town();
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("deployments", deployment("shop", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("shop-a", { of: { kind: "Deployment", name: "shop" }, ...made("12:29:30", "ImagePullBackOff") }));
  event("Failed", 'Failed to pull image "shop/app:1": dial tcp 10.0.0.9:443: i/o timeout', now);
  put("pods", pod("web-a", { of, ...made("12:29:49") }));
  event("FailedMount", SECRET, now);
  event("Pulling", "of no interest", { type: "Normal" });

  const [services] = await lists();
  expect(services).toMatchObject({
    services: [
      { message: "ImagePullBackOff: waiting for the registry: dial tcp 10.0.0.9:443: i/o timeout (shop-a)" },
      { status: "Starting", message: `FailedMount: ${SECRET} (web-a)` },
    ],
  });
  await later(9_999);
  await lists();
  expect(eventRequests()).toHaveLength(1);
  await later(1);
  await lists();
  expect(eventRequests()).toHaveLength(2);
});

test("another instance that is held up, or by something else, is asked about two seconds later", async () => {
  const { put, lists, later, eventRequests } = await town();
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...made("12:29:30") }));
  const asked = async () => {
    await lists();
    return eventRequests().length;
  };
  expect(await asked()).toBe(1);

  put("pods", pod("web-b", { of, ...made("12:29:30", "ErrImagePull") }));
  await later(1_999);
  expect(await asked()).toBe(1);
  await later(1);
  await until(async () => (await asked()) === 2);
});

test("an instance that has just been made asks for no events, and one that is well, deleted or over never does", async () => {
  const { put, lists, later, eventRequests } = await town();
  const gone = { metadata: { deletionTimestamp: at("12:29:00") } };
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...made("12:29:51") }));
  put("pods", pod("web-b", { of }));
  put("pods", pod("web-c", { of, ...made("12:00:00"), ...gone }));
  put("pods", pod("web-d", { of, status: { ...made("12:00:00").status, phase: "Failed", reason: "Evicted" } }));

  await lists();
  expect(eventRequests()).toEqual([]);

  await later(2_000);
  await lists();
  expect(eventRequests()).toHaveLength(1);
});

test("what was said of an instance holds until it is no longer held up, though Kubernetes drops the event", async () => {
  const { put, event, lists, later, server } = await town();
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...made("12:29:30", "ImagePullBackOff") }));
  event("Failed", 'Failed to pull image "shop/app:1": dial tcp 10.0.0.9:443: i/o timeout', now);
  const message = async () => JSON.stringify((await lists())[0]);
  expect(await message()).toContain("waiting for the registry");

  server.objects.remove("events", "team", "web-a.1");
  for (const _ of [1, 2]) {
    await later(10_000);
    expect(await message()).toContain("waiting for the registry");
  }
  server.fail("list events", { status: 500, message: "etcdserver: request timed out" });
  await later(10_000);
  expect(await message()).toContain("waiting for the registry");
});

test("without the right to list events, lists say nothing of it", async () => {
  const { put, event, lists, server } = await town();
  server.fail("list events", { status: 403, message: "events is forbidden" });
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...made("12:29:30") }));
  event("FailedMount", SECRET, now);

  const [services] = await lists();
  expect(services).not.toHaveProperty("not_listed");
  expect(services).toMatchObject({ services: [{ status: "Starting" }] });
  expect(JSON.stringify(services)).not.toContain("FailedMount");
});

test("of a service that is well, a stopped one, an idle one and a complete job nothing is asked", async () => {
  const { put, service, job: readJob, eventRequests } = await town();
  put("deployments", deployment("web"));
  for (const name of ["web-a", "web-b"]) put("pods", pod(name, { of }));
  for (const name of ["off", "idle"]) {
    put(
      "deployments",
      deployment(name, { spec: { replicas: 0 }, status: { ...none, replicas: 0, updatedReplicas: 0 } }),
    );
  }
  const scaleTargetRef = { kind: "Deployment", name: "idle" };
  put(
    "horizontalpodautoscalers",
    object("HorizontalPodAutoscaler", "hpa", { spec: { scaleTargetRef, minReplicas: 0 } }),
  );
  put("jobs", job("report", { status: { conditions: [{ type: "Complete", status: "True" }] } }));

  expect(await service("web")).toMatchObject({ status: "Running" });
  expect(await service("off")).toMatchObject({ status: "Stopped" });
  expect(await service("idle")).toMatchObject({ status: "Idle" });
  await readJob("report");

  expect(eventRequests()).toEqual([]);
});

test("without the right to list events everything else is told, and the answer names the right", async () => {
  const { put, service, server } = await town();
  const message =
    'events is forbidden: User "ada" cannot list resource "events" in API group "" in the namespace "team"';
  server.fail("list events", { status: 403, message });
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  put("pods", pod("web-a", { of, ...waiting("CreateContainerConfigError") }));

  const read = await service("web");

  expect(read).toMatchObject({
    status: "Failed",
    message: "CreateContainerConfigError (web-a)",
    events_not_read: "Events aren't shown: Gantry's account may not list events. Add the verb to its Role.",
  });
  expect(read).not.toHaveProperty("events");
});

test("events that can't be read in time don't delay an answer", async () => {
  const { put, service, server } = await town();
  put("deployments", deployment("web", { spec: { replicas: 1 }, status: none }));
  await service("web");
  server.fail("list events", { status: 500, message: "etcdserver: request timed out" });

  expect(await service("web")).toMatchObject({
    events_not_read: "Events aren't shown: the cluster didn't answer in time.",
  });
});

const QUOTA = 'pods "db-0" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1';

test("a job whose pod can't be created says why itself", async () => {
  const { put, event, job: readJob } = await town();
  put("jobs", job("report", { status: { startTime: at("12:00:00") } }));
  event("FailedCreate", `Error creating: ${QUOTA}`, { count: 4 });

  expect(await readJob("report")).toMatchObject({
    message: `can't create its instances: ${QUOTA}`,
    events: [{ reason: "FailedCreate", object: "report", count: 4 }],
  });
});

test("so does a StatefulSet, which has no condition for it, until its pods are there", async () => {
  const { put, event, service } = await town();
  put("statefulsets", statefulSet("db", { status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1 } }));
  event("FailedCreate", `create Pod db-0 in StatefulSet db failed error: ${QUOTA}`);

  expect(await service("db")).toMatchObject({ status: "Starting", message: `can't create its instances: ${QUOTA}` });

  put("statefulsets", statefulSet("db", { status: { readyReplicas: 1 } }));
  await until(async () => (await service("db")).message === undefined);
});

const sidecars = [
  { name: "migrate", image: "shop/migrate:1", resources: { limits: { memory: "1Gi" } } },
  { name: "proxy", image: "envoy:1", restartPolicy: "Always", resources: { limits: { memory: "128Mi" } } },
  { name: "agent", image: "agent:1", restartPolicy: "Always" },
];
const told = [
  { name: "proxy", image: "envoy:1", resources: { limits: { memory: "128" } } },
  { name: "agent", image: "agent:1", resources: {} },
];

test("what starts before the containers is no container of the API, and is told with its memory", async () => {
  const { put, service, job: readJob } = await town();
  put("deployments", deployment("web", { podSpec: { initContainers: sidecars } }));
  put("jobs", job("report", { podSpec: { initContainers: sidecars } }));

  const web = await service("web");
  expect(web.sidecars).toEqual(told);
  const init = [{ name: "migrate", image: "shop/migrate:1", resources: { limits: { memory: "1024" } } }, ...told];
  expect(web.init_containers).toEqual(init);
  expect(web.containers).toHaveLength(1);
  expect(await readJob("report")).toMatchObject({ sidecars: told, init_containers: init });
});

test("the memory after a resize in place, and the limit of a whole instance, are told", async () => {
  const { put, service } = await town();
  const containers = [{ name: "app", image: "shop/app:1", resources: { limits: { memory: "512Mi" } } }];
  const podSpec = { containers, resources: { limits: { memory: "2Gi" } } };
  put("deployments", deployment("web", { podSpec, spec: {} }));
  const sized = (memory: string) => ({ app: { resources: { limits: { memory } } } });
  put("pods", pod("web-a", { of, ...sized("512Mi") }));
  put("pods", pod("web-b", { of, ...sized("768Mi") }));

  expect(await service("web")).toMatchObject({
    instance_memory: "2048",
    containers: [{ resources: { limits: { memory: "512" } }, memory_now: ["512", "768"] }],
  });

  put("pods", pod("web-b", { of, ...sized("512Mi") }));
  await until(async () => (await service("web")).containers?.[0]?.memory_now === undefined);
});
