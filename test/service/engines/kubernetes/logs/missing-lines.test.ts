import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { restUnlessAborted } from "../../../../../src/platform/waiting.ts";
import { makeKubeClient } from "../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { collectedUntil, markCollected } from "../../../../../src/service/engines/kubernetes/logs/stored-logs.ts";
import type { CollectorLimits } from "../../../../../src/service/engines/kubernetes/logs/collector-parts.ts";
import { openLogStore } from "../../../../../src/service/workloads/logs/open-log-store.ts";
import { until } from "../../../../support/until.ts";
import { asTimePasses } from "../../../../support/as-time-passes.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { deployment, job, pod } from "../support/sent-objects.ts";
import { startReplica } from "./support/log-world.ts";
import { BEGINNING, stillClock } from "../../../../support/test-clock.ts";

const LONG_AGO = "2020-01-01T00:00:00Z";
/** The log of a running container, and of the run before its last restart; undefined if Kubernetes has none. */
type Log = { readonly now: readonly string[]; readonly before?: readonly string[] };

/** A cluster with a service whose pods have these logs; a follow stays open. Time passes, much faster than usual. */
async function world({ stepMs }: { readonly stepMs?: number } = {}) {
  const clock = stillClock();
  const over = new AbortController();
  const passing = asTimePasses(clock, () => restUnlessAborted(new Promise(() => undefined), over.signal), stepMs);
  const logsOf = new Map<string, Log>();
  const follows = { open: new Set<ServerResponse>(), most: 0 };
  const server = await openFakeApiServer({
    podLog({ name = "", query }, response) {
      const log = logsOf.get(name);
      const isPrevious = query.get("previous") === "true";
      if (isPrevious && !log?.before) return refuse(response, name);
      const isFollow = query.get("follow") === "true";
      if (isFollow) countFollow(follows, response);
      const lines = (isPrevious ? log?.before : log?.now) ?? [];
      response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
      response.write(lines.map((line) => `${timed(line)}\n`).join(""));
      if (!isFollow) response.end();
    },
  });
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock });
  const logs = await openLogStore({ kind: "sqlite", path: ":memory:" }, { clock, onEvent: () => undefined });
  const { kind: _, ...web } = deployment("web", { metadata: { creationTimestamp: LONG_AGO } });
  server.objects.put("deployments", "team", web);
  const replicas: Awaited<ReturnType<typeof startReplica>>[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    over.abort();
    await passing;
    await logs.close();
    api.close();
    await server.stop();
  };
  return {
    [Symbol.asyncDispose]: end,
    server,
    logs,
    follows,
    start: async (limits: Partial<CollectorLimits> = {}) => {
      const replica = await startReplica({ api, namespace: "team", logs, clock, limits });
      replicas.push(replica);
      return replica;
    },
    /** Resolves after the collector remembered so many times that it collects. */
    beats: async (most: number) => {
      const seen = new Set<string>();
      await until(async () => {
        const marked = await collectedUntil(logs, { region: "us", namespace: "team" });
        if (marked) seen.add(marked.toISOString());
        return seen.size > most;
      });
    },
    asked: (name: string) =>
      server.requests.filter((each) => each.resource === "pods/log" && each.name === name).length,
    removePod: (name: string) => {
      server.objects.remove("pods", "team", name);
      for (const response of follows.open) response.end();
    },
    putPod: (name: string, log: Log, restartCount = 0) => {
      logsOf.set(name, log);
      const app = { restartCount, state: { running: {} }, ...(restartCount > 0 && { lastState: CRASHED }) };
      const { kind: _, ...sent } = pod(name, { of: { kind: "Deployment", name: "web" }, app });
      server.objects.put("pods", "team", sent);
    },
    /** The pod of a job that ends once, and is there still. */
    putJobPod: (name: string, log: Log, state: "running" | "terminated") => {
      logsOf.set(name, log);
      const { kind: _, ...nightly } = job("nightly", { metadata: { creationTimestamp: LONG_AGO } });
      const { uid } = server.objects.put("jobs", "team", nightly).metadata;
      const ownerReferences = [{ kind: "Job", name: "nightly", uid, controller: true }];
      const app = { restartCount: 0, state: state === "running" ? { running: {} } : ENDED };
      const { kind: __, ...sent } = pod(name, { of: undefined, metadata: { ownerReferences }, app });
      server.objects.put("pods", "team", sent);
      if (state === "terminated") for (const response of follows.open) response.end();
    },
    putWaitingPod: (name: string, log: Log) => {
      logsOf.set(name, log);
      const app = { restartCount: 0, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: CRASHED };
      const { kind: _, ...sent } = pod(name, { of: { kind: "Deployment", name: "web" }, app });
      server.objects.put("pods", "team", sent);
    },
  };
}

const ENDED = { terminated: { exitCode: 0, reason: "Completed" } };
const CRASHED = { terminated: { exitCode: 1, reason: "Error" } };

/** Lines are `second text`; each second is one of this day, so that they are among the lines of today. */
function timed(line: string): string {
  const second = Number(line.slice(0, line.indexOf(" ")));
  return `${new Date(START + second * 1_000).toISOString()} ${line}`;
}

const START = BEGINNING.getTime() - 60_000;

function countFollow(follows: { open: Set<ServerResponse>; most: number }, response: ServerResponse): void {
  follows.open.add(response);
  follows.most = Math.max(follows.most, follows.open.size);
  response.on("close", () => follows.open.delete(response));
}

function refuse(response: ServerResponse, name: string): void {
  const message = `previous terminated container "app" in pod "${name}" not found`;
  const status = { kind: "Status", status: "Failure", message, reason: "BadRequest", code: 400 };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(status));
}

describe.concurrent("a log says what is missing in it", () => {
  test("where Gantry's account may not read logs, once, and goes on when it may", async () => {
    await using town = await world();
    const { server, start, putPod } = town;
    const message =
      'pods "web-1" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"';
    server.fail("get pods/log", { status: 403, message });
    putPod("web-1", { now: ["1 started"] });
    const replica = await start();
    const asked = () => server.requests.filter(({ resource }) => resource === "pods/log").length;
    await until(async () => asked() >= 4 && (await replica.log("web")).length > 0);

    server.fail("get pods/log", undefined);

    await until(async () => (await replica.log("web")).includes("1 started"));
    expect(await replica.log("web")).toEqual([`[gantry] newer lines are missing: ${message}`, "1 started"]);
  });

  test("where lines weren't read yet, on each replica: the log never looks empty", async () => {
    await using town = await world();
    const { server, start, beats, putJobPod, putPod } = town;
    server.fail("get pods/log", { status: 500, message: "the kubelet is busy" });
    putJobPod("nightly-1", { now: ["1 backed up 7 tables"] }, "terminated");
    putPod("web-1", { now: ["1 started"] });
    const replicas = [await start(), await start()];
    const read = () =>
      Promise.all(replicas.flatMap((replica) => [replica.jobLog("nightly", "nightly-1"), replica.log("web")]));
    await beats(0);

    const note = (name: string) => [`[gantry] newer lines of ${name} can be missing: Gantry hasn't read them yet`];
    const unread = [note("nightly-1"), note("web-1")];
    expect(await read()).toEqual([...unread, ...unread]);
    server.fail("get pods/log", undefined);

    await until(async () => !(await read()).flat().join().includes("can be missing"));
    const whole = [["1 backed up 7 tables"], ["1 started"]];
    expect(await read()).toEqual([...whole, ...whole]);
  });

  test("where a job has ended and its last lines weren't read yet", async () => {
    await using town = await world();
    const { server, start, putJobPod } = town;
    putJobPod("nightly-1", { now: ["1 begun"] }, "running");
    const replica = await start();
    const read = () => replica.jobLog("nightly", "nightly-1");
    await until(async () => (await read()).join() === "1 begun");

    server.fail("get pods/log", { status: 500, message: "the kubelet is busy" });
    putJobPod("nightly-1", { now: ["1 begun", "2 backed up 7 tables"] }, "terminated");

    const note = "[gantry] newer lines of nightly-1 can be missing: Gantry hasn't read them yet";
    await until(async () => (await read()).length > 1);
    expect(await read()).toEqual(["1 begun", note]);
    server.fail("get pods/log", undefined);
    await until(async () => !(await read()).includes(note));
    expect(await read()).toEqual(["1 begun", "2 backed up 7 tables"]);
  });

  test("after a start, until the lines that came meanwhile were read", async () => {
    await using town = await world();
    const { server, start, putPod } = town;
    putPod("web-1", { now: ["1 started"] });
    const first = await start();
    await until(async () => (await first.log("web")).join() === "1 started");
    await first.stop();

    server.fail("get pods/log", { status: 500, message: "the kubelet is busy" });
    putPod("web-1", { now: ["1 started", "2 failed"] });
    const second = await start();
    await until(() => second.collector.isCollecting());

    const note = "[gantry] newer lines of web-1 can be missing: Gantry hasn't read them yet";
    expect(await second.log("web")).toEqual(["1 started", note]);
    server.fail("get pods/log", undefined);
    await until(async () => !(await second.log("web")).includes(note));
    expect(await second.log("web")).toEqual(["1 started", "2 failed"]);
  });

  test("not where an API server that has just come back knows no rights yet", async () => {
    await using town = await world();
    const { server, start, putPod } = town;
    putPod("web-1", { now: ["1 started"] });
    const replica = await start();
    await until(async () => (await replica.log("web")).includes("1 started"));
    const asked = () => server.requests.filter(({ resource }) => resource === "pods/log").length;
    await server.stop();
    const message =
      'pods "web-1" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"';
    server.fail("get pods/log", { status: 403, message });
    const from = asked();
    await server.start();
    await until(() => asked() >= from + 3);

    server.fail("get pods/log", undefined);
    putPod("web-1", { now: ["1 started", "2 goes on"] });

    // Until its workloads are known again, a log isn't read.
    let lines: readonly string[] = [];
    await until(async () => {
      lines = await replica.log("web").catch(() => []);
      return lines.includes("2 goes on");
    });
    expect(lines.filter((line) => line.includes("forbidden"))).toEqual([]);
  });

  test("after a time in which nobody collected", async () => {
    await using town = await world();
    const { logs, start, putPod } = town;
    const before = new Date(BEGINNING.getTime() - 3_600_000);
    await markCollected(logs, { region: "us", namespace: "team" }, before);
    putPod("web-1", { now: ["1 started"] });

    const replica = await start();

    await until(async () => (await replica.log("web")).includes("1 started"));
    const since = before.toISOString().slice(0, 19);
    expect((await replica.log("web"))[0]).toContain(`[gantry] no log was collected from ${since}Z to `);
  });

  test("where a pod is gone that waited for its next run, which may have come and ended unseen", async () => {
    await using town = await world();
    const { start, putWaitingPod, removePod } = town;
    putWaitingPod("web-1", { now: ["1 first attempt"] });
    const replica = await start();
    await until(async () => (await replica.log("web")).includes("1 first attempt"));

    removePod("web-1");

    await until(async () => (await replica.log("web")).length > 1);
    const note = "[gantry] the last lines can be missing: the pod was gone before they were read";
    expect(await replica.log("web")).toEqual(["1 first attempt", note]);
  });

  test("where Kubernetes no longer has the log of the run before the last restart", async () => {
    await using town = await world();
    const { start, putPod } = town;
    putPod("web-1", { now: ["5 again"] }, 1);

    const replica = await start();

    await until(async () => (await replica.log("web")).includes("5 again"));
    const why = 'previous terminated container "app" in pod "web-1" not found';
    expect(await replica.log("web")).toEqual([
      `[gantry] lines before the last restart can be missing: ${why}`,
      "5 again",
    ]);
  });

  test("where a container restarted twice while nobody read its log", async () => {
    await using town = await world();
    const { start, putPod } = town;
    putPod("web-1", { now: ["1 first run"] });
    const first = await start();
    await until(async () => (await first.log("web")).includes("1 first run"));
    await first.stop();

    putPod("web-1", { before: ["20 second run"], now: ["30 third run"] }, 2);
    const second = await start();

    await until(async () => (await second.log("web")).includes("30 third run"));
    expect(await second.log("web")).toEqual([
      "1 first run",
      "[gantry] the last lines of an earlier run can be missing: Kubernetes keeps two runs",
      "20 second run",
      "30 third run",
    ]);
  });

  test("where a container's last run was over, and its pod gone, before it could be read", async () => {
    await using town = await world();
    const { server, start, putPod, removePod } = town;
    putPod("web-1", { now: ["1 first run"] });
    const replica = await start();
    await until(async () => (await replica.log("web")).includes("1 first run"));
    server.fail("get pods/log", { status: 404, message: 'pods "web-1" not found' });

    putPod("web-1", { now: [] }, 1);
    removePod("web-1");

    const note = "[gantry] the last lines can be missing: the pod was gone before they were read";
    await until(async () => (await replica.log("web")).length > 1);
    expect(await replica.log("web")).toEqual(["1 first run", note]);
  });

  test("where a container restarted more often, with the number of runs that nobody read", async () => {
    await using town = await world();
    const { start, putPod } = town;
    putPod("web-1", { before: ["20 fourth run"], now: ["30 fifth run"] }, 4);

    const replica = await start();

    await until(async () => (await replica.log("web")).includes("30 fifth run"));
    expect(await replica.log("web")).toEqual([
      "[gantry] the log of 3 runs before is missing: Kubernetes keeps the last two",
      "20 fourth run",
      "30 fifth run",
    ]);
  });
});

test.concurrent("more containers than logs that may be open take turns, and each gets its lines", async () => {
  await using town = await world();
  const { start, putPod, follows } = town;
  const names = Array.from({ length: 7 }, (_, number) => `web-${number}`);
  for (const name of names) putPod(name, { now: [`1 of ${name}`] });

  const replica = await start({ openLogs: 2 });
  await until(async () => {
    const lines = new Set(await replica.log("web"));
    return names.every((name) => lines.has(`1 of ${name}`));
  });
  putPod("web-0", { now: ["1 of web-0", "2 of web-0"] });
  await until(async () => (await replica.log("web")).includes("2 of web-0"));

  expect((await replica.log("web")).toSorted()).toEqual(
    [...names.map((name) => `1 of ${name}`), "2 of web-0"].toSorted(),
  );
  // The server learns of a closed connection a moment later, so two can't be expected of it.
  expect(follows.most).toBeLessThan(names.length);
  expect(replica.events.map(({ message }) => message)).toContain(
    "more containers than open logs: quiet ones are looked at seldom",
  );
});

describe.concurrent("a collector with nothing to do", () => {
  test("lists nothing, however long no watch says anything", async () => {
    await using town = await world({ stepMs: 1_000 });
    const { server, start, putPod, beats } = town;
    putPod("web-1", { now: ["1 started"] });
    const replica = await start();
    await until(async () => (await replica.log("web")).includes("1 started"));
    await beats(1);
    // Silent watches are followed by a count, which asks for one object.
    const lists = () =>
      server.requests.filter(({ verb, query }) => verb === "list" && query.get("limit") !== "1").length;
    const before = lists();

    await beats(6);

    expect(lists()).toBe(before);
  });

  test("still learns that its right to list pods was taken away, and says so in each log", async () => {
    await using town = await world({ stepMs: 1_000 });
    const { server, start, putPod } = town;
    putPod("web-1", { now: ["1 started"] });
    const replica = await start();
    await until(async () => (await replica.log("web")).includes("1 started"));
    const message =
      'pods is forbidden: User "ada" cannot watch resource "pods" in API group "" in the namespace "team"';
    server.fail("watch pods", { status: 403, message });
    server.endWatches();

    await until(() => replica.collector.problem("team")?.includes("may not watch pods") === true);
    const [note = ""] = await replica.log("web", 1).catch((error: Error) => [error.message]);

    expect(note).toContain("may not watch pods");
    server.fail("watch pods", undefined);
  });

  test("looks seldom at quiet logs that have no place, and at once when somebody reads them", async () => {
    await using town = await world({ stepMs: 1_000 });
    const { start, putPod, beats, asked } = town;
    const names = Array.from({ length: 7 }, (_, number) => `web-${number}`);
    for (const name of names) putPod(name, { now: [`-3600 of ${name}`] });
    const replica = await start({ openLogs: 2 });
    // Each was followed for a turn.
    await until(() => names.every((name) => asked(name) > 0));
    await beats(1);
    const all = () => names.reduce((sum, name) => sum + asked(name), 0);
    const before = all();

    await beats(6);
    expect(all() - before).toBeLessThanOrEqual(2);
    await replica.log("web");

    await until(() => all() - before >= 5);
  });

  test("opens a follow again soon after lines stopped coming, and seldom when it was quiet for long", async () => {
    await using town = await world({ stepMs: 1_000 });
    const { start, putPod, asked } = town;
    putPod("web-1", { now: ["-3600 an hour ago"] });
    putPod("web-2", { now: ["60 just now"] });
    await start();

    await until(() => asked("web-2") >= 3);

    expect(asked("web-1")).toBe(1);
  });
});
