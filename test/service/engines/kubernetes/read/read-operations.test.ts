import { hostname } from "node:os";
import { expect, test } from "vitest";
import { Refusal } from "../../../../../src/service/engine.ts";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { readOperations } from "../../../../../src/service/engines/kubernetes/read/read-operations.ts";
import { regionWith } from "../support/known-objects.ts";
import { daemonSet, deployment, job, pod, statefulSet } from "../support/sent-objects.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const sent = [
  deployment("web"),
  deployment("db"),
  statefulSet("db"),
  job("report"),
  pod("report-x7k2p", { of: { kind: "Job", name: "report" } }),
];
const signal = new AbortController().signal;
const asked = { user: { username: "dana" }, signal, query: undefined, body: undefined };

/** No node runs it. */
const none = { currentNumberScheduled: 0, updatedNumberScheduled: 0, numberReady: 0, numberAvailable: 0 };

function operations(changed: Partial<ClusterConfig> = {}, objects: Parameters<typeof regionWith>[0] = sent) {
  const regions = new Map([["us", regionWith(objects, changed)]]);
  return readOperations({
    regions,
    clock: stillClock(new Date("2026-11-22T12:30:00Z")),
  });
}

const inUs = (path: object = {}) => ({ ...asked, path: { region: "us", ...path } });

test("a service that is listed can be read alone under its name", async () => {
  const { listServices, getService } = operations();
  const { region, services } = await listServices(inUs());

  expect(services.map(({ name, kubernetes_kind: kind }) => [name, kind])).toEqual([
    ["db", "Deployment"],
    ["db.statefulset", "StatefulSet"],
    ["web", "Deployment"],
  ]);
  for (const listed of services) {
    const alone = await getService({ ...asked, path: { region: "us", service_name: listed.name } });
    const { refused_operations: _alone, instance_names: _names, start_command: _start, ...same } = alone;
    expect(same).toEqual({ region, ...listed });
  }
});

test("a job that is listed can be read alone, with its instances", async () => {
  const { listJobs, getJob } = operations();
  const { jobs } = await listJobs(inUs());

  const alone = await getJob({ ...asked, path: { region: "us", job_name: "report" } });

  expect(jobs).toHaveLength(1);
  const { refused_operations: _alone, ...same } = alone;
  expect(same).toEqual({ instance_names: ["report-x7k2p"], ...jobs[0] });
});

test("what doesn't exist, or isn't adopted, isn't found", async () => {
  const { getService, getJob } = operations({ adopt: { workloads: "none", allow: [] } });

  const service = getService({ ...asked, path: { region: "us", service_name: "web" } });
  const absent = getJob({ ...asked, path: { region: "us", job_name: "report" } });

  await expect(service).rejects.toEqual(new Refusal(404, "no service is named web: check the name"));
  await expect(absent).rejects.toEqual(new Refusal(404, "no job is named report: check the name"));
});

test("a region without jobs says so", async () => {
  await expect(operations({ jobs: false }).listJobs(inUs())).rejects.toEqual(
    new Refusal(400, "jobs don't run in the region us: no region is configured to run jobs"),
  );
});

test("a DaemonSet is a service with an instance on each of its nodes, and keeps its name apart from others", async () => {
  const agent = { kind: "DaemonSet", name: "agent" } as const;
  const pods = [pod("agent-x7k2p", { of: agent }), pod("agent-q8m4z", { of: agent })];
  const evicted = pod("agent-old", { of: agent, status: { phase: "Failed", reason: "Evicted" } });
  const { listServices, getService } = operations({}, [
    daemonSet("agent"),
    ...pods,
    evicted,
    daemonSet("nowhere", { status: { ...none, desiredNumberScheduled: 0 } }),
    daemonSet("slow", { status: { ...none, desiredNumberScheduled: 3, currentNumberScheduled: 3 } }),
    deployment("db"),
    statefulSet("db"),
    daemonSet("db"),
  ]);
  const { services } = await listServices(inUs());

  const shown = services.map(({ name, status, ready_instances: ready, target_instance_size: size }) => {
    return `${name} ${status} ${ready}/${size}`;
  });
  expect(shown.toSorted()).toEqual([
    "agent Running 2/2",
    "db Running 0/2",
    "db.daemonset Running 0/2",
    "db.statefulset Running 0/2",
    "nowhere Running 0/0",
    "slow Starting 0/3",
  ]);
  expect(services.find(({ name }) => name === "agent")?.size_set_by).toBe("its nodes (DaemonSet)");
  const alone = await getService({ ...asked, path: { region: "us", service_name: "agent" } });
  expect(alone.instance_names?.toSorted()).toEqual(["agent-q8m4z", "agent-x7k2p"]);
});

test("a service says how it is started without this API, and whether this API runs in it", async () => {
  const objects = [
    deployment("web", { spec: { replicas: 3 } }),
    deployment("off", { spec: { replicas: 0 }, metadata: { annotations: { "gantry/size": "4" } } }),
    deployment("none", { spec: { replicas: 0 }, metadata: { annotations: { "gantry/idle": "true" } } }),
    statefulSet("db"),
    daemonSet("agent"),
    deployment("gantry"),
    pod("web-1", { of: { kind: "Deployment", name: "web" } }),
    pod(hostname(), { of: { kind: "Deployment", name: "gantry" } }),
  ];
  const { getService } = operations({}, objects);
  const said = async (name: string) => {
    const { start_command, runs_this_api } = await getService(inUs({ service_name: name }) as never); // a request for one
    return [start_command, runs_this_api];
  };

  expect(await said("web")).toEqual(["kubectl -n team scale deployment/web --replicas=3", undefined]);
  expect(await said("off")).toEqual(["kubectl -n team scale deployment/off --replicas=4", undefined]);
  expect(await said("none")).toEqual(["kubectl -n team scale deployment/none --replicas=1", undefined]);
  expect(await said("db")).toEqual(["kubectl -n team scale statefulset/db --replicas=2", undefined]);
  expect(await said("agent")).toEqual([undefined, undefined]);
  expect(await said("gantry")).toEqual(["kubectl -n team scale deployment/gantry --replicas=2", true]);
});

test("without adoption there are no DaemonSets", async () => {
  const { listServices } = operations({ adopt: { workloads: "none", allow: [] } }, [daemonSet("agent")]);

  expect((await listServices(inUs())).services).toEqual([]);
});
