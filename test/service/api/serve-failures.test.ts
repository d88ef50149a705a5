import { describe, expect, test } from "vitest";
import { type Engine, Refusal } from "../../../src/service/engine.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { alex, engineOfTest, service, services } from "../support/asked-service.ts";

describe("limits and failures", () => {
  test("calls over the limit of the day are 429 with the seconds to wait; others are not concerned", async () => {
    let now = new Date("2026-11-21T23:59:30Z");
    const { ask } = service({ rateLimitPerDay: 2, clock: { now: () => now } });
    const asAlex = { headers: { username: "alex", Authorization: `token ${alex.token}` } };

    const replies = [await ask(services), await ask(services), await ask(services), await ask(services, asAlex)];
    now = new Date("2026-11-22T00:00:00Z");
    const nextDay = await ask(services);

    expect([...replies, nextDay].map(({ status }) => status)).toEqual([200, 200, 429, 200, 200]);
    expect(replies[2]?.headers.get("retry-after")).toBe("30");
    expect(replies[2]?.body).toMatchInlineSnapshot(`
      {
        "message": "the limit of 2 calls per day is used up: try again tomorrow (UTC)",
      }
    `);
  });

  test("a refusal of the engine is its status and its sentence", async () => {
    const { ask, logged } = service({}, () => ({
      getService: () => Promise.reject(new Refusal(503, "the cluster is away")),
    }));

    expect(await ask(`${services}/web`)).toMatchObject({ status: 503, body: { message: "the cluster is away" } });
    expect(logged).toEqual([]);
  });

  test("a refusal can tell how long to wait", async () => {
    const { ask } = service({}, () => ({
      getService: () => Promise.reject(new Refusal(429, "the cluster is busy", { retryAfterSeconds: 7 })),
    }));

    const reply = await ask(`${services}/web`);

    expect(reply).toMatchObject({ status: 429, body: { message: "the cluster is busy" } });
    expect(reply.headers.get("retry-after")).toBe("7");
  });

  test("the cause of a refusal is logged with the reference of the answer, and never sent", async () => {
    const cause = new Error("connect ECONNREFUSED 10.1.2.3:6443");
    const { ask, logged } = service({}, () => ({
      getService: () => Promise.reject(new Refusal(503, "the cluster is away", { cause })),
    }));

    const reply = await ask(`${services}/web`);

    const reference = reply.headers.get("x-request-id");
    expect(reference).toMatch(/^[0-9a-f]{8}$/);
    expect(reply.body).toEqual({ message: "the cluster is away" });
    expect(logged).toEqual([{ data: { err: cause, reference, status: 503 }, message: "refused a request" }]);
  });

  test("a handler sees that its client is gone", async () => {
    const gone = new AbortController();
    const waiting = Promise.withResolvers<AbortSignal>();
    const { ask } = service({}, (good) => ({
      getService(request) {
        waiting.resolve(request.signal);
        return good.getService(request);
      },
    }));

    await ask(`${services}/web`, { signal: gone.signal });
    const signal = await waiting.promise;

    expect(signal.aborted).toBe(false);
    gone.abort();
    expect(signal.aborted).toBe(true);
  });

  test("a bug is a 500 whose reference is in the log, with the error, and tells nothing else", async () => {
    const bug = new Error("password=hunter2");
    const { ask, logged } = service({}, () => ({ getService: () => Promise.reject(bug) }));

    const reply = await ask(`${services}/web`);

    const reference = /[Rr]eference ([0-9a-f]{8})$/.exec(reply.body.message)?.[1];
    expect(reply.status).toBe(500);
    expect(reply.body.message).not.toContain("hunter2");
    expect(logged).toEqual([{ data: { err: bug, reference }, message: "internal error in the workload API" }]);
  });

  test("an answer off the contract is a 500 when answers are checked, and goes out when they are not", async () => {
    const wrong = (): Partial<Engine> => ({
      getService: async () => ({ name: "web", status: 7 }) as never, // what a bug would answer
    });
    const [strict, loose] = [service({ checkAnswers: true }, wrong), service({}, wrong)];

    const replies = [await strict.ask(`${services}/web`), await loose.ask(`${services}/web`)];

    expect(replies.map(({ status }) => status)).toEqual([500, 200]);
    expect(String(Object(strict.logged[0]?.data).err)).toMatchInlineSnapshot(
      `"WrongAnswer: getService answered off the contract: status must be text"`,
    );
  });

  test("a refusal that the contract does not name for the operation is a bug as well", async () => {
    const { ask, logged } = service({ checkAnswers: true }, () => ({
      getService: () => Promise.reject(new Refusal(409, "busy")),
    }));

    expect((await ask(`${services}/web`)).status).toBe(500);
    expect(String(Object(logged[0]?.data).err)).toMatchInlineSnapshot(
      `"WrongAnswer: getService refused with 409, which openapi.yaml doesn't list for it"`,
    );
  });

  test("an engine that lacks an operation is not served", () => {
    const { startService: _, ...lacking } = engineOfTest();

    expect(() => serve({ engine: lacking as Engine, users: [] })).toThrow("the engine has no startService"); // what tsc refuses
  });
});
