import { describe, expect, test } from "vitest";
import { lokiLogs, podNamePattern } from "../../../../../src/service/engines/kubernetes/logs/loki.ts";
import type { LoggedWorkload } from "../../../../../src/service/engines/kubernetes/logs/region-logs.ts";
import { openStrictLoki } from "./support/strict-loki.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const web: LoggedWorkload = {
  namespace: "team",
  name: "web",
  kind: "Deployment",
  objectName: "web",
  createdAt: "2026-11-01T08:00:00Z",
  pods: ["web-5d4f8c7b9-x7k2p"],
};
const pods = ["web-5d4f8c7b9-x7k2p", "web-5d4f8c7b9-bbbbb"] as const;
const signal = new AbortController().signal;
const NOON = BigInt(Date.parse("2026-11-20T12:00:00Z")) * 1_000_000n;

/** A Loki with lines of two pods of web in turn, a millisecond apart unless said otherwise, and one of another service. */
async function world(count: number, { apart = 1_000_000n, maxEntries }: { apart?: bigint; maxEntries?: number } = {}) {
  const loki = await openStrictLoki("team-a");
  for (let at = 0; at < count; at += 1) {
    const labels = { namespace: "team", pod: pods[at % 2] ?? "", container: "app" };
    loki.lines.push({ time: NOON + BigInt(at) * apart, labels, line: `line ${at}` });
  }
  const other = { namespace: "team", pod: "web-foo-5d4f8c7b9-x7k2p", container: "app" };
  loki.lines.push({ time: NOON, labels: other, line: "of the service web-foo" });
  const labels = { namespace: "namespace", pod: "pod" };
  const config = { url: `${loki.url}/`, tenant: "team-a", labels, maxEntries };
  const logs = lokiLogs(config, stillClock(new Date("2026-11-21T00:00:00Z")));
  const page = async (from: number, size: number, more: { day?: string; instance?: string } = {}) =>
    (await logs.page(web, { day: "2026-11-20", from, size, signal, ...more })).map(({ line }) => line);
  return { loki, logs, page, config };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

describe("the logs of a region with Loki", () => {
  test("are pages counted from the newest line, of all pods of the service and of no other", async () => {
    const { page, logs } = await world(10);

    expect(await page(0, 100)).toEqual(numbers(0, 10));
    expect(await page(3, 4)).toEqual(numbers(3, 7));
    expect(await page(10, 5)).toEqual([]);
    expect(await logs.page(web, { day: "2026-11-20", from: 0, size: 1, signal })).toEqual([
      { instance: pods[1], line: "line 9" },
    ]);
  });

  test("can be those of one pod", async () => {
    const { page } = await world(6);

    expect(await page(0, 100, { instance: pods[0] })).toEqual(["line 0", "line 2", "line 4"]);
  });

  test("of more lines than one query may ask for come in several queries, without gap or repetition", async () => {
    const { page, loki } = await world(12_000);

    const whole = await page(0, 12_000);

    expect(whole).toEqual(numbers(0, 12_000));
    expect(await page(6_000, 3)).toEqual(numbers(5_997, 6_000));
    expect(loki.queries.length).toBeLessThanOrEqual(6);
  });

  test("whose lines share their times keep an order that doesn't change between pages", async () => {
    const { page } = await world(40, { apart: 0n, maxEntries: 50 });

    const whole = await page(0, 40);
    const paged = [...(await page(30, 10)), ...(await page(20, 10)), ...(await page(10, 10)), ...(await page(0, 10))];

    expect(new Set(whole).size).toBe(40);
    expect(paged).toEqual(whole);
  });

  test("of a chunk that ends in the middle of a moment go on at that moment", async () => {
    const { page, loki } = await world(0, { maxEntries: 5 });
    const labels = { namespace: "team", pod: pods[0] };
    for (const at of [0, 1, 1, 1, 2, 2, 2, 3]) loki.lines.push({ time: NOON + BigInt(at), labels, line: `at ${at}` });

    expect(await page(0, 100)).toEqual(["at 0", "at 1", "at 1", "at 1", "at 2", "at 2", "at 2", "at 3"]);
  });

  test("of a day before the service was made are empty, and never those of an older one of its name", async () => {
    const { page, loki } = await world(1);
    loki.lines.push({
      time: BigInt(Date.parse("2026-11-01T07:00:00Z")) * 1_000_000n,
      labels: { namespace: "team", pod: pods[0] },
      line: "of the older one",
    });

    expect(await page(0, 10, { day: "2026-10-31" })).toEqual([]);
    expect(await page(0, 10, { day: "2026-11-01" })).toEqual([]);
  });

  test("know an instance whose pod is gone", async () => {
    const { logs } = await world(2);

    expect(await logs.hasInstance(web, pods[1], signal)).toBe(true);
    expect(await logs.hasInstance(web, "web-5d4f8c7b9-zzzzz", signal)).toBe(false);
    expect(await logs.hasInstance(web, "web-foo-5d4f8c7b9-x7k2p", signal)).toBe(false);
  });

  test("that would take too long to skip are refused before Loki is asked", async () => {
    const { page, loki } = await world(1);

    await expect(page(100_000, 1)).rejects.toMatchObject({ status: 400, message: expect.stringContaining("100000") });
    expect(loki.queries).toEqual([]);
  });

  test.each([
    [{ status: 429, text: "too many outstanding requests" }, "too many outstanding requests (status 429)"],
    [{ status: 500, text: "" }, "Internal Server Error (status 500)"],
    [{ status: 200, text: "<html>" }, "its answer has another form"],
  ])("answered with %j are a 503 with that text", async (fault, text) => {
    const { page, loki } = await world(1);
    loki.fail(fault);

    await expect(page(0, 1)).rejects.toMatchObject({ status: 503, message: expect.stringContaining(text) });
  });

  test("say which limit or setting is wrong, in Loki's words", async () => {
    const { config } = await world(1);
    const read = (changed: object) =>
      lokiLogs({ ...config, ...changed }, stillClock()).page(web, {
        day: "2026-11-20",
        from: 0,
        size: 9_000,
        signal,
      });

    await expect(read({ tenant: undefined })).rejects.toThrow(/no org id \(status 401\)/u);
    await expect(read({ maxEntries: 9_000 })).rejects.toThrow(/max entries limit per query exceeded.*9000 > 5000/u);
    await expect(read({ url: "http://127.0.0.1:1" })).rejects.toThrow(/can't be reached at 127\.0\.0\.1:1/u);
  });
});

test.each([
  ["Deployment", "web", "web-5d4f8c7b9-x7k2p", true],
  ["Deployment", "web", "web-foo-x7k2p", false],
  ["Deployment", "web", "web-0", false],
  ["StatefulSet", "db", "db-11", true],
  ["StatefulSet", "db", "db-x7k2p", false],
  ["DaemonSet", "agent", "agent-x7k2p", true],
  ["DaemonSet", "agent", "agent-1", false],
  ["Job", "nightly", "nightly-x7k2p", true],
  ["Job", "nightly", "nightly-3-x7k2p", true],
  ["Job", "a.b", "aXb-x7k2p", false],
] as const)("a %s %s has a pod named %s: %s", (...[kind, objectName, pod, isIts]) => {
  expect(new RegExp(`^(?:${podNamePattern({ kind, objectName })})$`, "u").test(pod)).toBe(isIts);
});
