import { pino } from "pino";
import { expect, test } from "vitest";
import { createApi } from "../../../src/api/client.ts";
import { machineClock } from "../../../src/platform/clock.ts";
import { openSinks } from "../../../src/platform/observing/open-sinks.ts";
import { createTrail, measuring } from "../../../src/platform/observing/measuring.ts";
import { sendTo } from "../../../src/platform/http/send.ts";
import { onTrail } from "../../../src/platform/trail.ts";
import { readServiceConfig } from "../../../src/service/config.ts";
import { openServiceObserver } from "../../../src/service/observing/open-service-observer.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { dana, engineOfTest, services } from "../support/asked-service.ts";

const log = pino({ level: "silent" });

function configOf(env: Readonly<Record<string, string>>) {
  const read = readServiceConfig(env, "/project");
  if ("problems" in read) throw new Error(read.problems.join(" "));
  return read.config;
}

/** A workload API that is observed as the environment says. Its engine can't list jobs. */
async function observed(env: Readonly<Record<string, string>>) {
  const { observer, port, close } = await openServiceObserver(configOf(env), {
    replicaId: "service-1",
    log,
    clock: machineClock,
  });
  const engine = { ...engineOfTest(), listJobs: () => Promise.reject(new Error("a bug")) };
  const fetch = serve({ engine: observer.measured(engine), users: [dana], follow: observer.follow, log });
  return { fetch, port, close };
}

const headers = { username: dana.username, Authorization: `token ${dana.token}` };

test("an operator sees which operations were asked for and how they ended, and no workload's name", async () => {
  const { fetch: ask, port, close } = await observed({ GANTRY_METRICS_PORT: "0" });
  try {
    const paths = [services, `${services}/secret-name`, "/v1/regions/us/jobs", "/v1/nowhere/secret-name"];
    for (const path of paths) await ask(new Request(`http://service.example${path}`, { headers }));
    await ask(new Request(`http://service.example${services}`));
    await ask(new Request(`http://service.example${services}/secret-name`, { method: "PATCH", headers }));

    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const counted = text.split("\n").filter((line) => /^gantry_service_\w+_total\{/u.test(line));

    expect(counted.toSorted()).toMatchInlineSnapshot(`
      [
        "gantry_service_engine_calls_total{operation="getService",status="404"} 1",
        "gantry_service_engine_calls_total{operation="listJobs",status="failed"} 1",
        "gantry_service_engine_calls_total{operation="listServices",status="ok"} 1",
        "gantry_service_requests_total{operation="getService",status="404"} 1",
        "gantry_service_requests_total{operation="listJobs",status="500"} 1",
        "gantry_service_requests_total{operation="listServices",status="200"} 1",
        "gantry_service_requests_total{operation="listServices",status="401"} 1",
        "gantry_service_requests_total{operation="other",status="404"} 1",
        "gantry_service_requests_total{operation="other",status="405"} 1",
      ]
    `);
    expect(text).toMatch(/^gantry_service_request_seconds_count\{operation="listServices"\} 2$/mu);
    expect(text).toMatch(/^gantry_service_engine_call_seconds_count\{operation="getService"\} 1$/mu);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /mu);
    expect(text).toMatch(/^process_resident_memory_bytes /mu);
    expect(text).not.toContain("secret-name");
    expect(text).not.toContain(dana.username);
  } finally {
    await close();
  }
});

test("a trace that begins in the bot goes on in the workload API and in its engine", async () => {
  await using collector = await otlpReceiver();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const service = await observed(env);
  const bot = await openSinks(configOf({ ...env, OTEL_SERVICE_NAME: "gantry" }), {
    replicaId: "bot-1",
    clock: machineClock,
    log,
    createMetrics: () => Promise.reject(new Error("metrics are off")),
  });
  const api = createApi({
    baseUrl: "http://service.example",
    send: sendTo(service.fetch),
    measure: measuring(machineClock, (call) => call),
  }).as(dana);
  const list = () => api.send({ op: "listServices", path: { region: "us" }, query: undefined, body: undefined });

  const command = bot.tracing?.begin("command list", undefined);
  await onTrail(createTrail({ annotate: () => undefined, hold: () => () => undefined }, command), list);
  command?.end();
  await bot.close();
  await service.close();

  const spans = collector.spans();
  const named = (name: string) => spans.find((span) => span.name === name);
  const chain = ["command list", "api listServices", "listServices", "engine listServices"].map(named);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(chain.slice(1).map((span) => span?.parentSpanId)).toEqual(chain.slice(0, -1).map((span) => span?.spanId));
  expect(chain.map((span) => span?.resource["service.name"])).toEqual([
    "gantry",
    "gantry",
    "gantry-workload-api",
    "gantry-workload-api",
  ]);
});

test("without tracing, the workload API is sent no trace", async () => {
  const sent: (string | null)[] = [];
  const service = await observed({});
  const api = createApi({
    baseUrl: "http://service.example",
    send: sendTo((request) => {
      sent.push(request.headers.get("traceparent"));
      return service.fetch(request);
    }),
  }).as(dana);

  await api.send({ op: "listServices", path: { region: "us" }, query: undefined, body: undefined });

  expect(sent).toEqual([null]);
});
