import { once } from "node:events";
import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { machineClock } from "../../../src/platform/clock.ts";
import { listen, type Listening } from "../../../src/service/api/listen.ts";
import { serve } from "../../../src/service/api/serve.ts";
import type { Readiness } from "../../../src/service/engine.ts";
import { rawAnswer } from "../../support/raw-http.ts";
import { dana, engineOfTest, services } from "../support/asked-service.ts";
import { images } from "../support/memory-store.ts";

const open: Listening[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close(0);
});

async function listening(): Promise<Listening> {
  const server = await listen({ host: "127.0.0.1", port: 0, clock: machineClock });
  open.push(server);
  return server;
}

const cannot = [{ feature: "domains", effect: "refused", why: "no gateway is set" }] as const;
const about = () =>
  ({
    name: "kubernetes",
    title: "Kubernetes",
    regions: [{ name: "us", version: "v1.20.2", services: true, jobs: true, cannot }],
    updates: ["image"],
  }) as const;

const headers = { username: dana.username, Authorization: `token ${dana.token}` };

/** Sends a target unchanged: fetch would resolve its dots. */
async function rawStatus(url: string, path: string) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method: "DELETE", headers, agent: false });
  sent.end();
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

test("no name leads to another workload, and a body that is too large is refused", async () => {
  const { url, answerWith } = await listening();
  answerWith(serve({ engine: engineOfTest(), users: [dana] }), { ready: () => ({ ok: true }), about });

  const statuses = [
    await rawStatus(url, `${services}/x/../web`),
    await rawStatus(url, `${services}/%2e%2E/jobs/web`),
    await rawStatus(url, `${services}/..%5Cweb`),
    await rawStatus(url, `${services}/web?q=/../`),
  ];
  const large = await fetch(`${url}${services}/web`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: " ".repeat(1_000_001),
  });

  expect(statuses).toEqual([400, 400, 400, 404]);
  expect(large.status).toBe(413);
});

test("what a proxy and a server may read differently is refused: two hosts, two values of a name, an encoded body", async () => {
  const { url, answerWith } = await listening();
  answerWith(serve({ engine: engineOfTest(), users: [dana] }), { ready: () => ({ ok: true }), about });
  const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const body = JSON.stringify({ containers: [{ image: images.web }] });
  const twice = body.replace("{", '{"target_instance_size":1,"target_instance_size":2,');
  const answer = async (more: string, sent = body) => {
    const length = `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\nConnection: close\r\n`;
    const raw = `POST ${services}/other HTTP/1.1\r\n${more}${own.join("")}${length}\r\n${sent}`;
    return (await rawAnswer(Number(new URL(url).port), raw)).slice(9, 12);
  };

  const answers = [
    await answer("Host: a\r\nHost: b\r\n"),
    await answer("Host: a\r\nHost: a\r\n"),
    await answer("Host: a\r\n", twice),
    await answer("Host: a\r\nContent-Encoding: gzip\r\n"),
    await answer("Host: a\r\nContent-Encoding: identity\r\nContent-Encoding: br\r\n"),
    await answer("Host: a\r\nContent-Encoding: identity\r\n"),
  ];

  expect(answers).toEqual(["400", "400", "400", "415", "415", "200"]);
});

test("whether the process lives is another question than whether it can serve: a restart mends no cluster", async () => {
  const { url, answerWith } = await listening();
  const live = async () => (await fetch(`${url}/livez`, { headers: { connection: "close" } })).status;

  const starting = await live();
  const engine = { ready: () => ({ ok: false, reason: "the cluster does not answer" }) as const, about };
  answerWith(serve({ engine: engineOfTest(), users: [dana] }), engine);

  expect([starting, await live()]).toEqual([200, 200]);
});

test("the health check says whether requests can be served, why not, and names the engine without a token", async () => {
  const { url, answerWith } = await listening();
  let readiness: Readiness = { ok: true };
  const health = async () => {
    const response = await fetch(`${url}/healthz`, { headers: { connection: "close" } });
    return [response.status, await response.json()];
  };

  const starting = await health();
  answerWith(serve({ engine: engineOfTest(), users: [dana] }), { ready: () => readiness, about });
  const ready = await health();
  readiness = { ok: false, reason: "the cluster does not answer" };
  const lost = await health();

  const what = { field: "binding_domain_name", what: "custom domains", effect: "refused", why: "no gateway is set" };
  const region = { name: "us", version: "v1.20.2", services: true, jobs: true, cannot: [what] };
  const engine = {
    name: "kubernetes",
    title: "Kubernetes",
    update_memory: "any",
    updates: ["image"],
    events: true,
    regions: [region],
  };
  expect([starting, ready, lost]).toEqual([
    [503, { status: "starting" }],
    [200, { status: "ok", engine }],
    [503, { status: "not ready", message: "the cluster does not answer", engine }],
  ]);
});
