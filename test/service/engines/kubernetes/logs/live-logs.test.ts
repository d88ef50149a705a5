import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { orAborted } from "../../../../../src/platform/waiting.ts";
import {
  type KubeApi,
  KubeError,
  type PodLogOptions,
} from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { livePage } from "../../../../../src/service/engines/kubernetes/logs/live-logs.ts";
import { startKubernetes } from "../../../../../src/service/engines/kubernetes/kubernetes-engine.ts";
import { until } from "../../../../support/until.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { cacheWith } from "../support/known-objects.ts";
import { deployment, pod } from "../support/sent-objects.ts";
import { BEGINNING, stillClock, testClock } from "../../../../support/test-clock.ts";

const NOW = new Date("2026-11-22T15:00:00Z");
const of = { kind: "Deployment", name: "web" } as const;

/** Lines with their times, as a container's file has them: `2026-11-22T12:00:01Z text`. */
type Log = {
  readonly now: readonly string[];
  readonly before?: readonly string[];
  readonly fails?: KubeError;
  /** No line comes. */
  readonly hangs?: boolean;
};

/** Answers as a kubelet does: it leaves out lines before `sinceTime`, counts `tailLines` in pieces of 16 KiB, and has two runs. */
function kubelet(logs: Readonly<Record<string, Log>>) {
  const asked: PodLogOptions[] = [];
  async function* podLog(options: PodLogOptions, signal: AbortSignal): AsyncIterable<Buffer> {
    const { pod: name, previous = false, sinceTime = "", tailLines = Number.POSITIVE_INFINITY } = options;
    const log = logs[name];
    if (log?.fails) throw log.fails;
    if (log?.hangs === true) await orAborted(new Promise(() => undefined), signal);
    const lines = previous ? log?.before : log?.now;
    if (!lines) throw new KubeError(400, `previous terminated container "app" in pod "${name}" not found`);
    const pieces = lines.flatMap((line) => {
      const time = line.slice(0, line.indexOf(" "));
      return (line.slice(time.length + 1).match(/.{1,16384}/gu) ?? [""]).map((text) => ({ line, time, text }));
    });
    const tail = Map.groupBy(pieces.slice(-tailLines), ({ line }) => line);
    for (const [, [first, ...more]] of tail) {
      if (!first || Date.parse(first.time) < Date.parse(sinceTime)) continue;
      yield Buffer.from(`${first.time} ${[first, ...more].map(({ text }) => text).join("")}\n`);
    }
  }
  const api = {
    async podLog(options: PodLogOptions, signal: AbortSignal) {
      asked.push(options);
      return podLog(options, signal);
    },
  } as unknown as KubeApi; // the live reader uses nothing else
  return { api, asked };
}

type Page = { readonly day?: string; readonly from?: number; readonly size?: number; readonly instance?: string };

/** The service web, whose pods have these logs; a pod restarted once if it has a run before. */
function world(logs: Readonly<Record<string, Log>>, createdAt = "2026-11-20T08:00:00Z") {
  const { api, asked } = kubelet(logs);
  const clock = stillClock(NOW);
  const crashed = { restartCount: 1, lastState: { terminated: { exitCode: 1 } } };
  const pods = Object.entries(logs).map(([name, { before }]) => pod(name, { of, ...(before && { app: crashed }) }));
  const cache = cacheWith([deployment("web"), ...pods]);
  const workload = {
    region: "us",
    namespace: "team",
    uid: "uid of Deployment web",
    name: "web",
    kind: "Deployment",
    objectName: "web",
    createdAt,
    pods: Object.keys(logs),
  } as const;
  const page = async ({ day = "2026-11-22", from = 0, size = 100, instance }: Page = {}) => {
    const { signal } = new AbortController();
    const options = { day, from, size, instance, signal, why: "Gantry on shop-1 collects" };
    const lines = await livePage({ region: { api, cacheOf: () => cache }, clock }, workload, options);
    return lines.map(({ instance: name, line }) => `${name}: ${line}`);
  };
  return { page, asked, clock };
}

const at = (time: string, text: string, day = "2026-11-22") => `${day}T${time}.000000000Z ${text}`;
const TODAY =
  "[gantry] Gantry on shop-1 collects: lines of pods that are gone, and of all but the last two runs of a container, are missing";
const EARLIER = (day: string) =>
  `[gantry] Gantry on shop-1 collects: of ${day}, it shows only what Kubernetes still has: lines of pods that are gone are missing`;

describe("a log that is read live from Kubernetes", () => {
  test("has the lines of all pods in the order of their times, and says at its end what can be missing", async () => {
    const { page } = world({
      "web-1": { now: [at("12:00:01", "a"), at("12:00:03", "c")] },
      "web-2": { now: [at("12:00:02", "b"), at("12:00:04", "d")] },
    });

    expect(await page()).toEqual(["web-1: a", "web-2: b", "web-1: c", "web-2: d", `web-1: ${TODAY}`]);
  });

  test("has the same pages as a stored one: they are counted from the newest line, which is the note", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => at(`12:00:${String(n).padStart(2, "0")}`, `line ${n}`));
    const { page } = world({
      "web-1": { now: lines.filter((_, n) => n % 3 === 0) },
      "web-2": { now: lines.filter((_, n) => n % 3 === 1), before: lines.slice(0, 6).filter((_, n) => n % 3 === 2) },
      "web-3": { now: lines.slice(6).filter((_, n) => n % 3 === 2) },
    });
    const whole = await page();
    expect(whole).toHaveLength(31);

    const pages: string[] = [];
    for (let from = 0; from < 35; from += 4) pages.unshift(...(await page({ from, size: 4 })));

    expect(pages).toEqual(whole);
    expect(await page({ size: 1 })).toEqual([`web-1: ${TODAY}`]);
    expect(await page({ from: 31 })).toEqual([]);
  });

  test("has the run before the last restart, then the current one", async () => {
    const { page } = world({ "web-1": { before: [at("12:00:01", "last words")], now: [at("12:00:09", "again")] } });

    expect(await page()).toEqual(["web-1: last words", "web-1: again", `web-1: ${TODAY}`]);
  });

  test("keeps the order of stdout and stderr inside of a container", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:02", "first"), at("12:00:01", "second")] } });

    expect((await page()).slice(0, 2)).toEqual(["web-1: first", "web-1: second"]);
  });

  test("asks for no more lines than a page needs", async () => {
    const { page, asked } = world({ "web-1": { now: [at("12:00:01", "a")] } });
    await page({ from: 20, size: 10 });

    expect(asked).toEqual([
      { namespace: "team", pod: "web-1", container: "app", tailLines: 31, sinceTime: "2026-11-22T00:00:00Z" },
    ]);
  });

  test("loses none of the newest lines where a long one counts as many", async () => {
    const long = "x".repeat(60_000);
    const { page } = world({ "web-1": { now: [at("12:00:01", "a"), at("12:00:02", long), at("12:00:03", "b")] } });

    expect((await page({ size: 4 })).map((line) => line.length)).toEqual([8, 60_007, 8, TODAY.length + 7]);
    expect((await page({ from: 1, size: 2 })).map((line) => line.length)).toEqual([60_007, 8]);
    expect((await page({ from: 1, size: 1 })).map((line) => line.length)).toEqual([8]);
  });

  test("of an earlier day has what Kubernetes still has of that day, and nothing of the next", async () => {
    const { page } = world({
      "web-1": {
        now: [
          at("23:59:59", "of the 20th", "2026-11-20"),
          at("00:00:00", "morning", "2026-11-21"),
          at("09:00:00", "x"),
        ],
      },
    });

    expect(await page({ day: "2026-11-21" })).toEqual(["web-1: morning", `web-1: ${EARLIER("2026-11-21")}`]);
  });

  test("of an earlier day of which nothing is left is a sentence, not an empty list", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")] } });

    expect(await page({ day: "2026-11-21" })).toEqual([`web-1: ${EARLIER("2026-11-21")}`]);
    expect(await page({ day: "2026-11-21", instance: "web-1" })).toEqual([`web-1: ${EARLIER("2026-11-21")}`]);
  });

  test("of a day before the service existed, or of tomorrow, is empty", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")] } }, "2026-11-21T08:00:00Z");

    expect(await page({ day: "2026-11-20" })).toEqual([]);
    expect(await page({ day: "2026-11-23" })).toEqual([]);
  });

  test("says which pod's lines couldn't be read, and shows the others", async () => {
    const { page } = world({
      "web-1": { now: [at("12:00:01", "a")] },
      "web-2": { now: [], fails: new KubeError(500, "dial tcp 10.0.0.7:10250: connect: connection refused") },
      "web-3": { now: [], fails: new KubeError(404, 'pods "web-3" not found') },
    });

    expect(await page()).toEqual([
      "web-1: a",
      "web-1: [gantry] lines of web-2 are missing: dial tcp 10.0.0.7:10250: connect: connection refused",
      `web-1: ${TODAY}`,
    ]);
  });

  test("without the right is refused, with the right that is missing", async () => {
    const text =
      'pods "web-1" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"';
    const { page } = world({ "web-1": { now: [], fails: new KubeError(403, text, { reason: "Forbidden" }) } });

    await expect(page()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining("may not get pods/log"),
    });
  });

  test("is shown after some seconds without the lines that Kubernetes is slow to send, and says so", async () => {
    const { page, clock } = world({ "web-1": { now: [at("12:00:01", "a")] }, "web-2": { now: [], hangs: true } });
    const shown = page();

    await clock.passMs(4_000);

    expect(await shown).toEqual([
      "web-1: a",
      "web-1: [gantry] lines of web-2 are missing: Kubernetes took too long to send them",
      `web-1: ${TODAY}`,
    ]);
  });

  test("with more lines than are held at once is refused before anything is read", async () => {
    const { page, asked } = world({ "web-1": { now: [] } });

    await expect(page({ from: 100_000, size: 1 })).rejects.toMatchObject({ status: 400 });
    expect(asked).toEqual([]);
  });
});

/** A line of today. */
const started = `${BEGINNING.toISOString()} started\n`;

/** A cluster with the service web, whose one pod wrote a line; engines on it have a store of their own. */
async function twoGantrys() {
  const dir = mkdtempSync(join(tmpdir(), "gantry-two-"));
  const clock = testClock();
  const server = await openFakeApiServer({
    podLog({ query }, response) {
      response.writeHead(200, { "content-type": "text/plain" }).write(started);
      if (query.get("follow") !== "true") response.end();
    },
  });
  const { kind: _, ...web } = deployment("web", { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } });
  server.objects.put("deployments", "shop", web);
  const { kind: __, ...running } = pod("web-1", { of });
  server.objects.put("pods", "shop", running);
  writeFileSync(join(dir, "kubeconfig"), server.kubeConfig().exportConfig());
  const closes: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await Promise.all(closes.map((close) => close()));
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const open = async (store: string, logs: string) => {
    const clustersPath = join(dir, `${store}.yaml`);
    const region = `{ kubeconfig: kubeconfig, namespace: shop, jobs: true, adopt: all, logs: ${logs} }`;
    writeFileSync(clustersPath, `regions: { us: ${region} }`);
    const { engine, close } = await startKubernetes(
      { clustersPath, database: undefined },
      { dataDir: join(dir, store), users: ["dana"], clock, onEvent: () => undefined },
    );
    closes.push(close);
    return {
      close,
      /** The newest lines of web on a day. */
      async log(date?: string): Promise<readonly string[]> {
        const lines = await engine.getServiceLogs({
          path: { region: "us", service_name: "web" },
          query: { ...(date !== undefined && { date }), from: 0, size: 10 },
          user: { username: "dana" },
          body: undefined,
          signal: AbortSignal.timeout(20_000),
        });
        return lines.map(({ log }) => log);
      },
    };
  };
  const holder = () => server.objects.find("leases", "shop", "gantry-log-collector")?.["spec"];
  return { server, open, holder };
}

describe("two Gantrys on one namespace, each with its own log store", () => {
  test("both have the log: the second reads it live, and says who collects it", async () => {
    const { open } = await twoGantrys();
    const production = await open("production", "collector");
    await until(async () => (await production.log()).join() === "started");

    const laptop = await open("laptop", "collector");

    expect(await laptop.log()).toEqual([
      "started",
      `[gantry] Gantry on ${hostname()} collects this log into a store of its own, so it is read live from Kubernetes: ` +
        "lines of pods that are gone, and of all but the last two runs of a container, are missing",
    ]);
    expect(await laptop.log("2026.01.01")).toEqual([
      `[gantry] Gantry on ${hostname()} collects this log into a store of its own, so it is read live from Kubernetes: ` +
        "of 2026-01-01, it shows only what Kubernetes still has: lines of pods that are gone are missing",
    ]);
    expect(await production.log()).toEqual(["started"]);
  });

  test("a second start on the same store goes on collecting, and shows what the first one stored", async () => {
    const { open } = await twoGantrys();
    const first = await open("production", "collector");
    await until(async () => (await first.log()).join() === "started");
    await first.close();

    const second = await open("production", "collector");

    expect((await second.log())[0]).toBe("started");
    await until(async () => (await second.log()).join() === "started");
  });

  test("with `logs: live`, lines are read on demand, no lease is taken and nothing is followed", async () => {
    const { server, open, holder } = await twoGantrys();
    const laptop = await open("laptop", "live");

    expect(await laptop.log()).toEqual([
      "started",
      "[gantry] this log is read live from Kubernetes: lines of pods that are gone, and of all but the last two runs " +
        "of a container, are missing",
    ]);
    expect(holder()).toBeUndefined();
    const asked = server.requests.filter(({ resource }) => /leases|pods\/log/u.test(resource));
    expect(asked.map(({ query }) => query.get("follow"))).toEqual([null]);
  });
});
