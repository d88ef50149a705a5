import { describe, expect, onTestFinished, test } from "vitest";
import { recordEnds } from "../../../../../src/service/engines/kubernetes/write/background-notes.ts";
import { changes } from "../../../../support/object-changes.ts";
import { until } from "../../../../support/until.ts";
import { openCachedCluster } from "../support/cached-cluster.ts";
import type { FakeOptions } from "../support/fake-api-server.ts";
import { pod } from "../support/sent-objects.ts";

const labels = (name: string) => ({ "app.kubernetes.io/managed-by": "gantry", "gantry/job": name });
const at = (second: number) => `2026-11-22T12:00:${String(second).padStart(2, "0")}Z`;
const ended = (exitCode: number, second: number) => ({
  terminated: { exitCode, reason: "Error", startedAt: at(0), finishedAt: at(second), message: "words of the program" },
});

/** A cluster with a replica that writes down how jobs failed. */
async function world(options: FakeOptions = {}) {
  const cluster = await openCachedCluster({ kinds: ["Job", "Pod"], ...options });
  const { server, api, clock, later } = cluster;
  const put = (name: string, metadata: object = {}) =>
    server.objects.put("jobs", "team", {
      metadata: { name, labels: labels(name), ...metadata },
      spec: { backoffLimit: 6, template: { spec: { restartPolicy: "OnFailure", containers: [] } } },
    });
  const events: string[] = [];
  const start = (): (() => Promise<void>) => {
    const stop = new AbortController();
    const deps = { api, cache: cluster.cacheOf("team"), clock };
    const over = recordEnds({ ...deps, onEvent: (message) => void events.push(message) }, stop.signal);
    onTestFinished(() => stop.abort());
    return async () => {
      stop.abort();
      await over;
    };
  };
  /** The job's pod, whose container is in this state. */
  const podOf = (name: string, app: Readonly<Record<string, unknown>>, metadata: object = {}): void => {
    const { uid } = server.objects.find("jobs", "team", name)?.metadata ?? {};
    const ownerReferences = [{ kind: "Job", name, uid, controller: true }];
    const { kind: _, ...sent } = pod(`${name}-abc`, { of: undefined, app });
    server.objects.put("pods", "team", {
      ...sent,
      metadata: { name: `${name}-abc`, ownerReferences, creationTimestamp: at(0), ...metadata },
    });
  };
  const removePod = (name: string) => server.objects.remove("pods", "team", `${name}-abc`);
  const recorded = (name: string): unknown => {
    const annotations = server.objects.find("jobs", "team", name)?.metadata["annotations"];
    const text = (annotations as Record<string, string> | undefined)?.["gantry/last-end"]; // as in Kubernetes
    return text === undefined ? undefined : JSON.parse(text);
  };
  /** Whether the replicas know that it is recorded: one that doesn't may send it once more, and is refused. */
  const isSeen = (name: string): boolean =>
    cluster
      .cacheOf("team")
      .all("Job")
      .some(({ metadata }) => metadata.name === name && metadata.annotations["gantry/last-end"] !== undefined);
  const patches = () => server.requests.filter(({ verb }) => verb === "patch").length;
  return { server, events, later, put, start, podOf, removePod, recorded, isSeen, patches };
}

describe("how a job failed", () => {
  test("is on the job after its pod is gone, with the number of attempts", async () => {
    const { put, podOf, removePod, recorded, start, server } = await world();
    const before = put("report", {
      labels: { ...labels("report"), team: "shop" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "team/on-call": "shop" },
    });
    start();
    await until(() => server.openWatches() === 2);

    podOf("report", { restartCount: 0, state: ended(1, 1) });
    podOf("report", { restartCount: 1, state: { running: {} }, lastState: ended(1, 1) });
    podOf("report", { restartCount: 1, state: ended(3, 9), lastState: ended(1, 1) });
    removePod("report");

    await until(() => recorded("report") !== undefined);
    await until(() => JSON.stringify(recorded("report")).includes('attempts":2'));
    expect(recorded("report")).toEqual({ reason: "Error", exitCode: 3, finishedAt: at(9), restarts: 1, attempts: 2 });
    expect(changes(before, server.objects.find("jobs", "team", "report"))).toEqual([
      expect.stringMatching(/^\/metadata\/annotations\/gantry\/last-end: undefined → /u),
    ]);
  });

  test("is written once for each failure, whatever else changes, and again by nobody who starts later", async () => {
    const { put, podOf, recorded, isSeen, patches, start, server } = await world();
    put("report");
    put("other");
    const stop = start();
    podOf("report", { restartCount: 1, state: { running: {} }, lastState: ended(2, 5) });
    await until(() => isSeen("report"));

    for (const ready of [true, false, true]) {
      podOf("report", { restartCount: 1, ready, state: { running: {} }, lastState: ended(2, 5) });
    }
    await stop();
    start();
    podOf("other", { restartCount: 0, state: ended(4, 6) });
    await until(() => recorded("other") !== undefined);

    expect(patches()).toBe(2);
    expect(server.requests.filter(({ verb }) => verb === "patch").map(({ contentType }) => contentType)).toEqual([
      "application/merge-patch+json",
      "application/merge-patch+json",
    ]);
  });

  test("isn't what its deletion did to it", async () => {
    const { put, podOf, recorded, start } = await world();
    put("report");
    put("other");
    start();

    podOf("report", { restartCount: 2, state: ended(137, 20), lastState: ended(3, 9) }, { deletionTimestamp: at(40) });

    await until(() => recorded("report") !== undefined);
    expect(recorded("report")).toMatchObject({ exitCode: 3, restarts: 2, attempts: 2 });
  });

  test("isn't written on jobs of others, nor of a success", async () => {
    const { put, podOf, recorded, patches, start } = await world();
    put("adopted", { labels: {} });
    put("copied", { labels: labels("original") });
    put("good");
    put("own");
    start();

    podOf("adopted", { restartCount: 0, state: ended(3, 1) });
    podOf("copied", { restartCount: 0, state: ended(3, 1) });
    podOf("good", { restartCount: 0, state: ended(0, 1) });
    podOf("own", { restartCount: 0, state: ended(3, 1) });

    await until(() => recorded("own") !== undefined);
    expect(patches()).toBe(1);
  });

  test("is never written on another job that got the name meanwhile", async () => {
    const options: { onRequest?: (request: { verb: string }) => void } = {};
    const { put, podOf, recorded, start, server, events } = await world({
      onRequest: (asked) => options.onRequest?.(asked),
    });
    put("report");
    start();
    options.onRequest = ({ verb }) => {
      if (verb !== "patch") return;
      options.onRequest = () => undefined;
      server.objects.remove("jobs", "team", "report");
      put("report");
      server.objects.remove("pods", "team", "report-abc");
    };

    podOf("report", { restartCount: 0, state: ended(3, 1) });
    put("next");
    podOf("next", { restartCount: 0, state: ended(3, 1) });

    await until(() => recorded("next") !== undefined);
    expect(recorded("report")).toBeUndefined();
    expect(events).toEqual([]);
  });

  test("is written after the status of the job changed at the same time", async () => {
    const options: { onRequest?: (request: { verb: string }) => void } = {};
    const { put, podOf, recorded, patches, start, events } = await world({
      onRequest: (asked) => options.onRequest?.(asked),
    });
    put("report");
    start();
    options.onRequest = ({ verb }) => {
      if (verb !== "patch") return;
      options.onRequest = () => undefined;
      put("report", { annotations: { touched: "yes" } });
    };

    podOf("report", { restartCount: 0, state: ended(3, 1) });

    await until(() => recorded("report") !== undefined);
    expect(patches()).toBe(2);
    expect(events).toEqual([]);
  });

  test("is kept while it can't be written: the operator is told once, and the latest failure is written later", async () => {
    const { put, podOf, recorded, patches, later, start, server, events } = await world();
    put("report");
    const message = 'jobs.batch "report" is forbidden: User "ada" cannot patch resource "jobs" in API group "batch"';
    server.fail("patch jobs", { status: 403, message });
    start();
    podOf("report", { restartCount: 0, state: ended(1, 1) });
    await later(() => patches() >= 3);
    podOf("report", { restartCount: 1, state: ended(2, 8), lastState: ended(1, 1) });

    server.fail("patch jobs", undefined);

    await later(() => JSON.stringify(recorded("report") ?? "").includes('attempts":2'));
    expect(recorded("report")).toMatchObject({ exitCode: 2, finishedAt: at(8) });
    await until(() => events.length === 2);
    expect(events).toEqual(["can't record how a job failed", "recording failed jobs works again"]);
  });
});
