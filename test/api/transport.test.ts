import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import type { Call } from "../../src/api/operations.ts";
import { calls, dana, problemOf, still } from "./calls.ts";
import { until } from "../support/until.ts";
import { listen } from "./listen.ts";

test("every request carries the user name and the token, and a body its type", async () => {
  const seen: unknown[] = [];
  const { url, requests } = await listen((request, response) => {
    const { username, authorization, "content-type": type } = request.headers;
    seen.push([username, authorization, type]);
    response.end("{}");
  });
  const api = createApi({ baseUrl: url }).as(dana);

  await api.send(calls.listServices);
  await api.send(calls.updateService);
  await api.send(calls.stopService);

  expect(seen).toEqual([
    ["dana", `token ${dana.token}`, undefined],
    ["dana", `token ${dana.token}`, "application/json"],
    ["dana", `token ${dana.token}`, undefined],
  ]);
  expect(requests).toEqual([
    "GET /v1/regions/beijing1/services",
    "PUT /v1/regions/beijing1/services/web",
    "PUT /v1/regions/beijing1/services/web/stop",
  ]);
});

test.each([
  ["", "/v1/regions/us/jobs"],
  ["/", "/v1/regions/us/jobs"],
  ["/gateway/cws", "/gateway/cws/v1/regions/us/jobs"],
  ["/gateway/cws//", "/gateway/cws/v1/regions/us/jobs"],
])("a base URL that ends in %j is called at %s", async (suffix, path) => {
  const { url, requests } = await listen((_, response) => response.end("{}"));

  await createApi({ baseUrl: `${url}${suffix}` })
    .as(dana)
    .send(calls.listJobs);

  expect(requests).toEqual([`GET ${path}`]);
});

test("names go into the path encoded, and a query as it is meant", async () => {
  const { url, requests } = await listen((_, response) => response.end("[]"));
  const api = createApi({ baseUrl: url }).as(dana);

  await api.send({
    ...calls.getServiceLogs,
    path: { region: "a b", service_name: "50%?#&é{region}$&" },
    query: { date: "2026.11.21", from: 0, size: 10 },
  });

  expect(requests).toEqual([
    "GET /v1/regions/a%20b/services/50%25%3F%23%26%C3%A9%7Bregion%7D%24%26/logs?date=2026.11.21&from=0&size=10",
  ]);
});

test("calls one after the other, refused ones included, keep their connection", async () => {
  const { url, connections, requests } = await listen((request, response) => {
    response.statusCode = request.method === "PUT" ? 409 : 200;
    response.end(request.method === "PUT" ? '{"message":"it is starting"}' : '{"jobs":[]}');
  });
  const api = createApi({ baseUrl: url }).as(dana);

  for (let round = 0; round < 5; round += 1) {
    await api.send(calls.listJobs);
    await problemOf(api, calls.updateService);
  }

  expect(requests).toHaveLength(10);
  // A second one is opened when a call follows in the very same turn; then both are used.
  expect(connections.length).toBeLessThanOrEqual(2);
});

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
] as const)("an answer compressed with %s is read, and its limit counts what comes out", async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(1_100_000, 32));
  const { url } = await listen((request, response) => {
    const isAccepted = request.headers["accept-encoding"]?.split(", ").includes(encoding) === true;
    response.setHeader("content-encoding", encoding);
    response.statusCode = isAccepted ? 200 : 406;
    response.end(request.url?.endsWith("/jobs") === true ? compress('{"jobs":[]}') : bomb);
  });
  const api = createApi({ baseUrl: url, bodyLimitBytes: 1024 * 1024, ...still }).as(dana);

  const jobs = await api.send(calls.listJobs);
  const problem = await problemOf(api, calls.listServices);

  expect(jobs).toEqual({ jobs: [], skipped: 0 });
  expect(bomb.byteLength).toBeLessThan(10_000);
  expect(problem.sentence).toBe("The workload API sent a list of more than 1 MB, the most that Gantry reads.");
});

test.each([200, 500])("a body that never ends is cut at the limit (status %i)", async (status) => {
  let written = 0;
  let isClosed = false;
  const { url } = await listen((_, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const pump = (): void => {
      while (response.writable && response.write(chunk)) written += chunk.byteLength;
    };
    response.writeHead(status).on("drain", pump);
    response.on("close", () => {
      isClosed = true;
    });
    pump();
  });
  const api = createApi({ baseUrl: url, bodyLimitBytes: 1_000_000, ...still }).as(dana);

  const problem = await problemOf(api, calls.listJobs);

  await until(() => isClosed);
  expect(problem.kind).toBe(status === 200 ? "unexpected" : "refused");
  // What the kernel's buffers took is sent, but not read.
  expect(written).toBeLessThan(20_000_000);
});

test.each<Call>([calls.getService, calls.updateService])("a redirect is followed by nobody: $op", async (call) => {
  const other = await listen((_, response) => response.end("{}"));
  const { url, requests } = await listen((_, response) => {
    response.writeHead(307, { location: `${other.url}/login?token=secret` }).end("<html>moved</html>");
  });

  const problem = await problemOf(createApi({ baseUrl: url, ...still }).as(dana), call);

  expect(problem).toMatchObject({ kind: "unexpected", status: 307, maybeSent: true });
  expect(problem.sentence).toBe(`The workload API sent a redirect (307) to ${new URL(other.url).host}.`);
  expect(requests).toHaveLength(1);
  expect(other.requests).toHaveLength(0);
});
