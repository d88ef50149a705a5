import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import { Problem } from "../../src/api/problem.ts";
import { createSingleFlight } from "../../src/api/single-flight.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { stillClock } from "../support/test-clock.ts";
import { calls, dana, problemOf } from "./calls.ts";
import { held } from "./held.ts";
import { until } from "../support/until.ts";

describe("equal reads of one account under way at once", () => {
  test("are one request, counted once, whose answer is decoded once for all", async () => {
    const { api, pending, answerAll } = held();
    const all = [1, 2, 3].map(() => api.as({ ...dana }).send(calls.listServices));
    await until(() => pending.length > 0);

    answerAll('{"services":[{"name":"web"}]}');
    const [first, second, third] = await Promise.all(all);

    expect(first).toEqual({ services: [{ name: "web" }], skipped: 0 });
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(pending).toHaveLength(1);
    expect(api.callsToday("dana").count).toBe(1);
  });

  test("are several when account, token, region or query differ, and when they come one after the other", async () => {
    const { api, pending, answerAll } = held();
    const all = [
      api.as(dana).send(calls.getServiceLogs),
      api.as({ ...dana, username: "bo" }).send(calls.getServiceLogs),
      api.as({ ...dana, token: "another" }).send(calls.getServiceLogs),
      api.as(dana).send({ ...calls.getServiceLogs, query: { size: 3 } }),
      api.as(dana).send({ ...calls.getServiceLogs, path: { region: "us", service_name: "web" } }),
    ];
    await until(() => pending.length === 5);

    answerAll("[]");
    await Promise.all(all);
    const later = api.as(dana).send(calls.getServiceLogs);
    await until(() => pending.length === 6);
    answerAll("[]");

    expect(await later).toEqual([]);
    expect(api.callsToday("dana").count).toBe(5);
    expect(api.callsToday("bo").count).toBe(1);
  });

  test("share their failure as well", async () => {
    const { api, pending } = held();
    const all = [1, 2].map(() => problemOf(api.as(dana), calls.getJob));
    await until(() => pending.length > 0);

    pending[0]?.answer('{"message":"no such job"}', 404);
    const [first, second] = await Promise.all(all);

    expect(first?.status).toBe(404);
    expect(second?.status).toBe(404);
    expect(pending).toHaveLength(1);
  });

  test("go on for the others when one gives up", async () => {
    const { api, pending, answerAll } = held();
    const impatient = new AbortController();
    const one = problemOf(api.as(dana), calls.listJobs, { signal: impatient.signal });
    const other = api.as(dana).send(calls.listJobs);
    await until(() => pending.length > 0);

    impatient.abort();
    const problem = await one;
    answerAll('{"jobs":[]}');

    expect(problem).toMatchObject({ kind: "aborted", maybeSent: true });
    expect(await other).toEqual({ jobs: [], skipped: 0 });
    expect(pending).toHaveLength(1);
  });

  test("are aborted when all have given up, and the next one begins anew", async () => {
    const { api, pending, answerAll } = held();
    const both = [new AbortController(), new AbortController()];
    const given = both.map(({ signal }) => problemOf(api.as(dana), calls.listJobs, { signal }));
    await until(() => pending.length > 0);

    for (const each of both) each.abort();
    const next = api.as(dana).send(calls.listJobs);
    await Promise.all(given);
    await until(() => pending.length === 2);
    answerAll('{"jobs":[]}');

    expect(pending[0]?.request.signal.aborted).toBe(true);
    expect(pending[1]?.request.signal.aborted).toBe(false);
    expect(await next).toEqual({ jobs: [], skipped: 0 });
  });

  test("have a budget each", async () => {
    const { api, clock, pending, answerAll } = held();
    const short = problemOf(api.as(dana), calls.listJobs, { budgetMs: 2_000 });
    const long = api.as(dana).send(calls.listJobs);
    await until(() => pending.length > 0);

    await clock.passMs(2_000);
    const problem = await short;
    answerAll('{"jobs":[]}');

    expect(problem.kind).toBe("timeout");
    expect(problem.sentence).toBe("The workload API didn't answer in 2 s.");
    expect(await long).toEqual({ jobs: [], skipped: 0 });
  });
});

test("a read after a write is not shared with one that began before the write was over", async () => {
  const { api, pending, answerAll } = held();
  const before = api.as(dana).send(calls.getService);
  const write = api.as(dana).send(calls.stopService);
  const during = api.as(dana).send(calls.getService);
  await until(() => pending.length === 3);
  const [, put] = pending;

  put?.answer("{}");
  await write;
  const after = api.as(dana).send(calls.getService);
  await until(() => pending.length === 4);

  answerAll('{"name":"web"}');
  expect(await Promise.all([before, during, after])).toHaveLength(3);
  expect(pending.map(({ request }) => request.method)).toEqual(["GET", "PUT", "GET", "GET"]);
});

test("equal writes are each sent", async () => {
  const { api, pending, answerAll } = held();
  const all = [1, 2].map(() => api.as(dana).send(calls.startService));
  await until(() => pending.length === 2);

  answerAll("{}");

  expect(await Promise.all(all)).toEqual([{}, {}]);
});

describe("calls are counted", () => {
  test("per user and UTC day, retries included", async () => {
    const clock = stillClock(new Date("2026-11-21T23:50:00Z"));
    let statuses = [503, 200, 200, 200];
    const api = createApi({
      baseUrl: "http://service.test",
      send: sendTo(() => {
        const [status = 200, ...rest] = statuses;
        statuses = rest;
        return Promise.resolve(new Response('{"jobs":[]}', { status }));
      }),
      clock: { ...clock, sleep: () => Promise.resolve() },
    });

    await api.as(dana).send(calls.listJobs);
    await api.as(dana).send(calls.stopService);
    const today = api.callsToday("dana");
    await clock.passMs(10 * 60_000 + 1_000);
    const nextDay = api.callsToday("dana");
    await api.as(dana).send(calls.listJobs);

    expect(today).toEqual({ count: 3, since: new Date("2026-11-21T23:50:00Z") });
    expect(nextDay).toEqual({ count: 0, since: new Date("2026-11-22T00:00:00Z") });
    expect(api.callsToday("dana").count).toBe(1);
    expect(api.callsToday("somebody").count).toBe(0);
  });

  test("only when they were sent", async () => {
    const api = createApi({ baseUrl: "http://service.test", send: sendTo(() => Promise.resolve(new Response("{}"))) });
    const call = { ...calls.getService, path: { region: "us", service_name: ".." } };

    const problem = await problemOf(api.as(dana), call);

    expect(problem).toBeInstanceOf(Problem);
    expect(api.callsToday("dana").count).toBe(0);
  });
});

describe("an answer that came fast", () => {
  const shared = { op: "listServices", key: "dana's list", budgetMs: 60_000, sharedForMs: 60_000 } as const;

  test("is given to those who ask right after a crowd, and to nobody after a single person", async () => {
    const clock = stillClock();
    const flights = createSingleFlight<number>(clock);
    let asked = 0;
    const ask = () => flights.join({ ...shared, start: () => Promise.resolve((asked += 1)) });

    const alone = [await ask(), await ask()];
    const crowd = [...(await Promise.all([ask(), ask()])), await ask()];

    await clock.passMs(shared.sharedForMs);

    expect(alone).toEqual([1, 2]);
    expect(crowd).toEqual([3, 3, 3]);
    expect(await ask()).toBe(4);
  });

  test("is forgotten with the next write", async () => {
    const flights = createSingleFlight<number>(stillClock());
    let asked = 0;
    const ask = () => flights.join({ ...shared, start: () => Promise.resolve((asked += 1)) });
    await Promise.all([ask(), ask()]);

    await flights.join({ op: "updateService", budgetMs: 60_000, start: () => Promise.resolve(0) });

    expect(await ask()).toBe(2);
  });
});
