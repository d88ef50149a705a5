import { describe, expect, test } from "vitest";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import type { KubeApi, PodLogOptions } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { logOperations } from "../../../../../src/service/engines/kubernetes/logs/log-operations.ts";
import { regionWith } from "../support/known-objects.ts";
import { deployment, job, pod } from "../support/sent-objects.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const NOW = new Date("2026-11-22T15:00:00Z");
const ofJob = { kind: "Job", name: "nightly" } as const;
const objects = [
  deployment("web"),
  job("nightly"),
  pod("web-1", { of: { kind: "Deployment", name: "web" } }),
  pod("nightly-abc", { of: ofJob }),
];

const request = { user: { username: "dana" }, signal: new AbortController().signal, query: {}, body: undefined };
const ofWeb = { ...request, path: { region: "us", service_name: "web" } };
const ofPod = (instance_name: string) => ({ ...request, path: { region: "us", job_name: "nightly", instance_name } });

/** The operations on a cluster whose pods wrote three lines each. */
function operations(sent: Parameters<typeof regionWith>[0] = objects, changed: Partial<ClusterConfig> = {}) {
  async function* written({ pod: name }: PodLogOptions): AsyncIterable<Buffer> {
    for (const n of [1, 2, 3]) yield Buffer.from(`2026-11-22T12:00:0${n}Z ${name} says ${n}\n`);
  }
  const api = { podLog: async (options: PodLogOptions) => written(options) } as unknown as KubeApi; // logs need no more
  const region = { ...regionWith(sent, changed), api };
  return logOperations({ regions: new Map([["us", region]]), clock: stillClock(NOW) });
}

describe("the log of a service", () => {
  test("names the pod of each line, and counts pages from the newest one", async () => {
    const { getServiceLogs } = operations();

    expect(await getServiceLogs({ ...ofWeb, query: { from: 1, size: 2 } })).toEqual([
      { instance_name: "web-1", log: "web-1 says 1" },
      { instance_name: "web-1", log: "web-1 says 2" },
    ]);
  });

  test("of a day that Kubernetes no longer has names Loki instead of being empty", async () => {
    const { getServiceLogs } = operations([
      deployment("web", { metadata: { creationTimestamp: "2026-11-01T08:00:00Z" } }),
    ]);

    expect(await getServiceLogs({ ...ofWeb, query: { date: "2026.11.2" } })).toEqual([
      {
        instance_name: "web",
        log: expect.stringMatching(/^\[gantry\] no lines of 2026-11-02 are left: .* With Loki, /u),
      },
    ]);
  });
});

describe("the log of a job's instance", () => {
  test("has the lines of its pod", async () => {
    const { getJobInstanceLogs } = operations();

    expect(await getJobInstanceLogs(ofPod("nightly-abc"))).toEqual([
      "nightly-abc says 1",
      "nightly-abc says 2",
      "nightly-abc says 3",
    ]);
  });

  test("of another job's pod is a 404 that names those there are", async () => {
    const { getJobInstanceLogs } = operations();

    await expect(getJobInstanceLogs(ofPod("web-1"))).rejects.toMatchObject({
      status: 404,
      message: "job nightly has no instance web-1: use nightly-abc",
    });
  });

  test("whose pod is gone is a 404 that names Loki", async () => {
    const { getJobInstanceLogs } = operations([job("nightly")]);

    await expect(getJobInstanceLogs(ofPod("nightly-abc"))).rejects.toMatchObject({
      status: 404,
      message:
        "job nightly has no instance nightly-abc: none of its pods exist now. Kubernetes keeps only the newest lines of " +
        "pods that still exist. With Loki, older lines stay readable.",
    });
  });
});
