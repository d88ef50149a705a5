import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import { operationTable, type OperationId } from "../../src/api/operations.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { stillClock } from "../support/test-clock.ts";
import { calls, dana, problemOf, still } from "./calls.ts";
import { until } from "../support/until.ts";
import { listen } from "./listen.ts";

/** A port where nobody listens. */
function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}

describe("when the workload API can't be reached", () => {
  test("a port where nobody listens: nothing was sent, and nothing counted", async () => {
    const port = await freePort();
    const api = createApi({ baseUrl: `http://127.0.0.1:${port}`, ...still });

    const problem = await problemOf(api.as(dana), calls.restartService);

    expect(problem).toMatchObject({ kind: "unreachable", maybeSent: false, op: "restartService" });
    expect(problem.message).toBe(
      `The workload API at 127.0.0.1:${port} refused the connection. Try again in a minute. If this keeps happening, contact your Gantry admin.`,
    );
    expect(api.callsToday("dana").count).toBe(0);
  });

  test("a host name with two addresses: neither answers", async () => {
    const problem = await problemOf(
      createApi({ baseUrl: `http://localhost:${await freePort()}`, ...still }).as(dana),
      calls.deleteJob,
    );

    expect(problem).toMatchObject({ kind: "unreachable", maybeSent: false });
  });

  test.each([
    ["http://no-such-host.invalid", "its host name is unknown"],
    ["http://127.0.0.1:6000", "refused the connection"],
  ])("%s: %s", async (baseUrl, why) => {
    const problem = await problemOf(createApi({ baseUrl, ...still }).as(dana), calls.stopService);

    expect(problem).toMatchObject({ kind: "unreachable", maybeSent: false });
    expect(problem.sentence).toContain(why);
  });

  test("a connection that breaks off before the answer: a write may have been done, and was sent once", async () => {
    const { url, requests } = await listen((request) => request.socket.destroy());
    const api = createApi({ baseUrl: url, ...still });

    const problem = await problemOf(api.as(dana), calls.deleteService);

    expect(problem).toMatchObject({ kind: "unreachable", maybeSent: true });
    expect(inspect(problem, { depth: 20, showHidden: true })).not.toContain(dana.token);
    expect(problem.next).toBe("It may or may not have been done. Check the workload before you try again.");
    expect(requests).toHaveLength(1);
    expect(api.callsToday("dana").count).toBe(1);
  });

  test("a kept connection that the service has closed: the write is not sent a second time", async () => {
    const { url, requests } = await listen((request, response) => {
      if (request.method === "GET") response.end('{"jobs":[]}');
      else request.socket.destroy();
    });
    const api = createApi({ baseUrl: url, ...still }).as(dana);
    await api.send(calls.listJobs);

    const problem = await problemOf(api, calls.startService);

    expect(problem.maybeSent).toBe(true);
    expect(requests).toEqual(["GET /v1/regions/us/jobs", "PUT /v1/regions/beijing1/services/web/start"]);
  });

  test("an answer that breaks off in the middle is read again, up to three times", async () => {
    const { url, requests } = await listen((request, response) => {
      response.writeHead(200, { "content-length": "1000" }).write('{"jobs":[');
      setImmediate(() => request.socket.destroy());
    });

    const problem = await problemOf(createApi({ baseUrl: url, ...still }).as(dana), calls.listJobs);

    expect(problem.kind).toBe("unreachable");
    expect(problem.sentence).toContain("closed the connection before its answer was complete");
    expect(requests).toHaveLength(3);
  });

  test("a write whose 200 has come was done, though its body breaks off", async () => {
    const { url } = await listen((request, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("{");
      setImmediate(() => request.socket.destroy());
    });

    const done = await createApi({ baseUrl: url }).as(dana).send(calls.restartService);

    expect(done).toEqual({});
  });
});

describe("time limits", () => {
  const everything: [string, OperationId][] = [
    ["no answer at all", "getService"],
    ["no answer at all", "stopService"],
    ["an answer that trickles", "listServices"],
    ["an answer that trickles", "createService"],
  ];

  test.each(everything)("%s to %s ends at the limit", async (what, op) => {
    let isClosed = false;
    const { url, requests } = await listen((_, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      if (what === "an answer that trickles") response.write("{");
    });
    const clock = stillClock();
    const api = createApi({ baseUrl: url, timeouts: { [op]: 750 }, ...still, clock }).as(dana);

    const asked = problemOf(api, calls[op]);
    await until(() => requests.length > 0);
    await clock.passMs(750);
    const problem = await asked;

    expect(problem).toMatchObject({ kind: "timeout", maybeSent: true });
    expect(problem.sentence).toBe("The workload API didn't answer in 0.75 s.");
    expect(problem.next).toMatch(
      operationTable[op].effect === "write" ? /^It may or may not have been done/u : /^Try again/u,
    );
    expect(requests).toHaveLength(1);
    await until(() => isClosed);
  });

  test("a fetch function that listens to no signal is left behind at the limit", async () => {
    const stuck = new Promise<Response>(() => undefined);
    const clock = stillClock();
    const api = createApi({ baseUrl: "http://service.test", send: sendTo(() => stuck), clock });

    const asked = problemOf(api.as(dana), calls.getJob);
    await clock.passMs(operationTable.getJob.timeoutMs);

    expect((await asked).kind).toBe("timeout");
  });
});
