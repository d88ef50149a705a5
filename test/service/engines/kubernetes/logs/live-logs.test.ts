import { describe, expect, test } from "vitest";
import { orAborted } from "../../../../../src/platform/waiting.ts";
import {
  type KubeApi,
  KubeError,
  type PodLogOptions,
} from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { liveLogs } from "../../../../../src/service/engines/kubernetes/logs/live-logs.ts";
import { cacheWith } from "../support/known-objects.ts";
import { deployment, pod } from "../support/sent-objects.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const NOW = new Date("2026-11-22T15:00:00Z");
const of = { kind: "Deployment", name: "web" } as const;

/** A pod whose container has these lines with their times, as its file has them: `2026-11-22T12:00:01Z text`. */
type Log = {
  readonly now: readonly string[];
  /** Those of the run before its last restart. */
  readonly before?: readonly string[];
  readonly restarts?: number;
  /** It crashed, and its next run hasn't begun. */
  readonly isWaiting?: boolean;
  /** When the pod was made, and when its run before began. */
  readonly at?: string;
  readonly fails?: KubeError;
  /** No line comes. */
  readonly hangs?: boolean;
  /** What the kubelet sends after the lines. */
  readonly rest?: string;
};

/** Answers as a kubelet does: it leaves out lines before `sinceTime`, counts `tailLines` in pieces of 16 KiB, and has two runs. */
function kubelet(logs: Readonly<Record<string, Log>>) {
  const asked: PodLogOptions[] = [];
  async function* podLog(options: PodLogOptions, signal: AbortSignal): AsyncIterable<Buffer> {
    const { pod: name, previous = false, sinceTime = "", tailLines = Number.POSITIVE_INFINITY } = options;
    const log = logs[name];
    if (log?.fails) throw log.fails;
    if (log?.hangs === true) await orAborted(new Promise(() => undefined), signal);
    // While a container waits, its last run is the one before, too.
    const lines = previous && log?.isWaiting !== true ? log?.before : log?.now;
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
    if (!previous && log?.rest !== undefined) yield Buffer.from(log.rest);
  }
  const api = {
    async podLog(options: PodLogOptions, signal: AbortSignal) {
      asked.push(options);
      return podLog(options, signal);
    },
  } as unknown as KubeApi; // the live reader uses nothing else
  return { api, asked };
}

const CREATED = "2026-11-20T08:00:00Z";

function podWith(name: string, { before, restarts = before ? 1 : 0, isWaiting = false, at: made = CREATED }: Log) {
  const app = {
    restartCount: restarts,
    ...(isWaiting && { state: { waiting: { reason: "CrashLoopBackOff" } } }),
    ...((restarts > 0 || isWaiting) && { lastState: { terminated: { exitCode: 1, startedAt: made } } }),
  };
  return pod(name, { of, metadata: { creationTimestamp: made }, app });
}

type Page = { readonly day?: string; readonly from?: number; readonly size?: number; readonly instance?: string };

/** The service web, whose pods have these logs. */
function world(logs: Readonly<Record<string, Log>>, createdAt = CREATED) {
  const { api, asked } = kubelet(logs);
  const clock = stillClock(NOW);
  const cache = cacheWith([deployment("web"), ...Object.entries(logs).map(([name, log]) => podWith(name, log))]);
  const workload = {
    namespace: "team",
    name: "web",
    kind: "Deployment",
    objectName: "web",
    createdAt,
    pods: Object.keys(logs),
  } as const;
  const page = async ({ day = "2026-11-22", from = 0, size = 100, instance }: Page = {}) => {
    const { signal } = new AbortController();
    const logs = liveLogs({ region: { api, cacheOf: () => cache }, clock });
    const lines = await logs.page(workload, { day, from, size, instance, signal });
    return lines.map(({ instance: name, line }) => `${name}: ${line}`);
  };
  return { page, asked, clock };
}

const at = (time: string, text: string, day = "2026-11-22") => `${day}T${time}.000000000Z ${text}`;
const KEPT = "Kubernetes keeps only the newest lines of pods that still exist. With Loki, older lines stay readable.";
const OLDER = (day = "2026-11-22") => `[gantry] older lines of ${day} can be missing: ${KEPT}`;
const NONE = (day = "2026-11-22") => `[gantry] no lines of ${day} are left: ${KEPT}`;

/** A container that ran twice, the run before from this moment on. */
function twice(began: string): Log {
  return { before: [at("11:00:01", "before")], now: [at("12:00:01", "a")], at: began };
}
const crashed = { restarts: 1, at: "2026-11-22T11:00:00Z" };

describe("a log that is read live from Kubernetes", () => {
  test("has the lines of all pods in the order of their times", async () => {
    const { page } = world({
      "web-1": { now: [at("12:00:01", "a"), at("12:00:03", "c")] },
      "web-2": { now: [at("12:00:02", "b"), at("12:00:04", "d")] },
    });

    expect(await page()).toEqual(["web-1: a", "web-2: b", "web-1: c", "web-2: d"]);
  });

  test("has pages that are counted from the newest line, the oldest of which is a note where lines can be gone", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => at(`12:00:${String(n).padStart(2, "0")}`, `line ${n}`));
    const { page } = world({
      "web-1": { now: lines.filter((_, n) => n % 3 === 0) },
      "web-2": { now: lines.filter((_, n) => n % 3 === 1), before: lines.slice(0, 6).filter((_, n) => n % 3 === 2) },
      "web-3": { now: lines.slice(6).filter((_, n) => n % 3 === 2), at: "2026-11-22T12:00:07Z" },
    });
    const whole = await page();
    expect(whole.map((line) => line.slice(7))).toEqual([OLDER(), ...lines.map((_, n) => `line ${n}`)]);

    const pages: string[] = [];
    for (let from = 0; from < 35; from += 4) pages.unshift(...(await page({ from, size: 4 })));

    expect(pages).toEqual(whole);
    expect(await page({ size: 1 })).toEqual(["web-3: line 29"]);
    expect(await page({ from: 31 })).toEqual([]);
  });

  test("has the run before the last restart, then the current one", async () => {
    const { page } = world({ "web-1": { before: [at("12:00:01", "last words")], now: [at("12:00:09", "again")] } });

    expect(await page()).toEqual(["web-1: last words", "web-1: again"]);
  });

  test("has the last run of a container that waits for its next one, once", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "last words")], restarts: 1, isWaiting: true } });

    expect(await page()).toEqual(["web-1: last words"]);
  });

  test("keeps the order of stdout and stderr inside of a container", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:02", "first"), at("12:00:01", "second")] } });

    expect(await page()).toEqual(["web-1: first", "web-1: second"]);
  });

  test("leaves out a line that a running container is writing, until it is whole", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")], rest: at("12:00:02", "hal") } });

    expect(await page()).toEqual(["web-1: a"]);
  });

  test("has what the kubelet wrote in place of lines, but not that a file isn't there yet", async () => {
    const early = 'failed to try resolving symlinks in path "/var/log/pods/web-1/app/0.log": no such file\n';
    const { page } = world({
      "web-1": { now: [], rest: early },
      "web-2": { now: [], rest: "a text that has no time\n" },
    });

    expect(await page()).toEqual(["web-2: [gantry] Kubernetes wrote in place of lines: a text that has no time"]);
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

    expect((await page({ size: 4 })).map((line) => line.length)).toEqual([8, 60_007, 8]);
    expect((await page({ size: 2 })).map((line) => line.length)).toEqual([60_007, 8]);
    expect((await page({ size: 1 })).map((line) => line.length)).toEqual([8]);
  });

  test("of a day before the service existed, or of tomorrow, is empty", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")] } }, "2026-11-21T08:00:00Z");

    expect(await page({ day: "2026-11-20" })).toEqual([]);
    expect(await page({ day: "2026-11-23" })).toEqual([]);
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

    expect(await page({ day: "2026-11-21" })).toEqual([`web-1: ${OLDER("2026-11-21")}`, "web-1: morning"]);
  });

  test("with more lines than are held at once is refused before anything is read", async () => {
    const { page, asked } = world({ "web-1": { now: [] } });

    await expect(page({ from: 100_000, size: 1 })).rejects.toMatchObject({ status: 400 });
    expect(asked).toEqual([]);
  });
});

describe("what a live log lacks", () => {
  test("is said of an earlier day of which nothing is left, with what would keep it", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")] } });

    expect(await page({ day: "2026-11-21" })).toEqual([`web-1: ${NONE("2026-11-21")}`]);
    expect(await page({ day: "2026-11-21", instance: "web-1" })).toEqual([`web-1: ${NONE("2026-11-21")}`]);
  });

  test("is said of a service whose pods are gone, but not of one that was just made", async () => {
    expect(await world({}).page()).toEqual([`web: ${NONE()}`]);
    expect(await world({}, "2026-11-22T14:59:30Z").page()).toEqual([]);
  });

  test.each<[string, Log]>([
    ["a pod that was made later than the service", { now: [at("12:00:01", "a")], at: "2026-11-22T11:59:00Z" }],
    ["a container that restarted twice since midnight", { ...twice("2026-11-22T11:00:00Z"), restarts: 2 }],
    ["a container that waits after its second crash", { now: [at("12:00:01", "a")], ...crashed, isWaiting: true }],
    ["a container whose run before Kubernetes deleted", { now: [at("12:00:01", "a")], restarts: 1 }],
  ])("is said today of %s", async (_, log) => {
    expect((await world({ "web-1": log }).page())[0]).toBe(`web-1: ${OLDER()}`);
  });

  test.each<[string, Log]>([
    ["the first pod of the service", { now: [at("12:00:01", "a")], at: "2026-11-20T08:00:03Z" }],
    ["a pod of yesterday", { now: [at("12:00:01", "a")], at: "2026-11-21T08:00:00Z" }],
    ["a container whose run before the last began yesterday", { ...twice("2026-11-21T11:00:00Z"), restarts: 2 }],
  ])("isn't said today of %s", async (_, log) => {
    expect(await world({ "web-1": log }).page()).not.toContain(`web-1: ${OLDER()}`);
  });

  test("isn't said of a service that was made today with its pod", async () => {
    const { page } = world(
      { "web-1": { now: [at("12:00:01", "a")], at: "2026-11-22T11:59:00Z" } },
      "2026-11-22T11:58:30Z",
    );

    expect(await page()).toEqual(["web-1: a"]);
  });

  test("is said of a run that the node has removed", async () => {
    const rest = "unable to retrieve container logs for containerd://1234";
    const { page } = world(
      { "web-1": { now: [], isWaiting: true, at: "2026-11-22T11:00:00Z", rest } },
      NOW.toISOString(),
    );

    expect(await page()).toEqual([`web-1: [gantry] lines of web-1 are missing: ${rest}`]);
  });

  test("isn't said of one instance because others may have gone", async () => {
    const { page } = world({ "web-1": { now: [at("12:00:01", "a")], at: "2026-11-22T11:59:00Z" } });

    expect(await page({ instance: "web-1" })).toEqual(["web-1: a"]);
  });

  test("is said at its end of a pod whose lines couldn't be read, beside those of the others", async () => {
    const refused = new KubeError(500, "dial tcp 10.0.0.7:10250: connect: connection refused");
    const { page } = world({
      "web-1": { now: [at("12:00:01", "a")] },
      "web-2": { now: [], restarts: 1, fails: refused },
      "web-3": { now: [], fails: new KubeError(404, 'pods "web-3" not found') },
    });

    expect(await page()).toEqual([
      "web-1: a",
      "web-1: [gantry] lines of web-2 are missing: dial tcp 10.0.0.7:10250: connect: connection refused",
    ]);
  });

  test("is said after some seconds of a pod whose lines Kubernetes is slow to send", async () => {
    const { page, clock } = world({ "web-1": { now: [at("12:00:01", "a")] }, "web-2": { now: [], hangs: true } });
    const shown = page();

    await clock.passMs(4_000);

    expect(await shown).toEqual([
      "web-1: a",
      "web-1: [gantry] lines of web-2 are missing: Kubernetes took too long to send them",
    ]);
  });

  test("without the right is a refusal, with the right that is missing", async () => {
    const text =
      'pods "web-1" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "team"';
    const { page } = world({ "web-1": { now: [], fails: new KubeError(403, text, { reason: "Forbidden" }) } });

    await expect(page()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining("may not get pods/log"),
    });
  });
});
