import { describe, expect, test } from "vitest";
import { logOperations } from "../../../../../src/service/engines/kubernetes/logs/log-operations.ts";
import { markCollected, storedLogs } from "../../../../../src/service/engines/kubernetes/logs/stored-logs.ts";
import type { KubeApi } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { regionWith } from "../support/known-objects.ts";
import { openLogs } from "../../../workloads/logs/open-logs.ts";
import { stillClock } from "../../../../support/test-clock.ts";
import { type Clock } from "../../../../../src/platform/clock.ts";

const place = { region: "us", namespace: "team" };
const created = { creationTimestamp: "2026-11-18T08:00:00Z", resourceVersion: "1", namespace: "team" };
const template = { spec: { containers: [{ name: "app" }] } };
const labels = { app: "web", "pod-template-hash": "5d" };
const owner = (kind: string, name: string) => [{ kind, name, uid: `u-${name}`, controller: true }];
const objects = [
  {
    kind: "Deployment",
    metadata: { ...created, name: "web", uid: "u-web" },
    spec: { selector: { matchLabels: { app: "web" } }, template },
    status: {},
  },
  { kind: "Job", metadata: { ...created, name: "nightly", uid: "u-nightly" }, spec: { template }, status: {} },
  {
    kind: "Pod",
    metadata: { ...created, name: "web-5d-abc", uid: "p1", labels, ownerReferences: owner("ReplicaSet", "web-5d") },
    spec: {},
    status: {},
  },
  {
    kind: "Pod",
    metadata: { ...created, name: "nightly-abc", uid: "p2", ownerReferences: owner("Job", "nightly") },
    spec: {},
    status: {},
  },
];

const request = { user: { username: "dana" }, signal: new AbortController().signal, query: {}, body: undefined };
const ofWeb = { ...request, path: { region: "us", service_name: "web" } };
const ofPod = (instance_name: string) => ({ ...request, path: { region: "us", job_name: "nightly", instance_name } });

/** The operations over a log of 20 November that has three lines; logs were collected on that day. */
async function world(problem?: string) {
  const { logs, clock } = await openLogs();
  const time: Clock = { ...stillClock(), now: () => clock.now };
  await markCollected(logs, place, clock.now);
  const lines = ["one", "two", "three"].map((text, at) => ({ text, at: clock.now, cursor: `${at}` }));
  for (const line of lines) {
    logs.collect({ ...line, workload: "us/team/u-web", source: "p/app", instance: "web-5d-old" });
    logs.collect({ ...line, workload: "us/team/u-nightly", source: "p/app", instance: "nightly-old" });
  }
  const stored = storedLogs({ logs, clock: time, problem: () => problem, unreadPods: async () => [] });
  const api = {} as KubeApi; // logs are never read from the cluster
  const region = { ...regionWith(objects), api };
  const operations = logOperations({
    regions: new Map([["us", region]]),
    logs,
    clock: time,
    onEvent: () => {},
    logsOf: () => stored,
  });
  return { ...operations, clock };
}

describe("the log of a service", () => {
  test("names the pod of each line, and counts pages from the newest one", async () => {
    const { getServiceLogs } = await world();

    expect(await getServiceLogs({ ...ofWeb, query: { from: 1, size: 2 } })).toEqual([
      { instance_name: "web-5d-old", log: "one" },
      { instance_name: "web-5d-old", log: "two" },
    ]);
  });

  test("of a day on which nothing was collected says so instead of being empty", async () => {
    const { getServiceLogs } = await world();

    expect(await getServiceLogs({ ...ofWeb, query: { date: "2026.11.19" } })).toEqual([
      { instance_name: "web-5d-abc", log: "[gantry] Gantry collected no logs on this day, so lines may be missing" },
    ]);
  });

  test("of a day before the service existed is empty", async () => {
    const { getServiceLogs } = await world();

    expect(await getServiceLogs({ ...ofWeb, query: { date: "2026.11.17" } })).toEqual([]);
  });

  test("says today why newer lines are missing; the note is the newest line of all pages", async () => {
    const { getServiceLogs } = await world("no replica collects logs");
    const page = async (from: number, size: number) =>
      (await getServiceLogs({ ...ofWeb, query: { from, size } })).map(({ log }) => log);

    expect(await page(0, 10)).toEqual([
      "one",
      "two",
      "three",
      "[gantry] newer lines are missing: no replica collects logs",
    ]);
    expect(await page(0, 1)).toEqual(["[gantry] newer lines are missing: no replica collects logs"]);
    expect(await page(1, 2)).toEqual(["two", "three"]);
    expect(await page(3, 5)).toEqual(["one"]);
    expect(await page(4, 5)).toEqual([]);
  });

  test("of an earlier day doesn't blame today's problem", async () => {
    const { getServiceLogs, clock } = await world("no replica collects logs");
    clock.now = new Date("2026-11-21T10:00:00Z");

    const lines = await getServiceLogs({ ...ofWeb, query: { date: "2026.11.20", size: 1 } });

    expect(lines).toEqual([{ instance_name: "web-5d-old", log: "three" }]);
  });
});

describe("the log of a job's instance", () => {
  test("can be read after its pod is gone", async () => {
    const { getJobInstanceLogs } = await world();

    expect(await getJobInstanceLogs(ofPod("nightly-old"))).toEqual(["one", "two", "three"]);
  });

  test("is empty for a pod that wrote nothing", async () => {
    const { getJobInstanceLogs } = await world();

    expect(await getJobInstanceLogs(ofPod("nightly-abc"))).toEqual([]);
  });

  test("of another job's pod is a 404 that names those there are", async () => {
    const { getJobInstanceLogs } = await world();

    await expect(getJobInstanceLogs(ofPod("other-1"))).rejects.toMatchObject({
      status: 404,
      message: "job nightly has no instance other-1: use nightly-old or nightly-abc",
    });
  });
});
