import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { openTracing } from "../../../../src/platform/observing/tracing.ts";
import { createObserver } from "../../../../src/bot/compose/observing/observer.ts";
import { killTown } from "../../../support/kill-town.ts";
import { openPolicy } from "../../../support/open-policy.ts";
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from "../../../support/otlp-receiver.ts";
import { approvalTown } from "../../../support/approval-town.ts";
import { card, clicks, idOf, says, whispers } from "../../../support/speak.ts";

/** Traces as the standard variables set them up, sent to this collector. */
function tracingTo({ url }: OtlpReceiver, env: Readonly<Record<string, string>> = {}) {
  const { tracing: config } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env });
  if (config === undefined) throw new Error("tracing is off");
  const tracing = openTracing(config, { replicaId: "replica-1", log: pino({ level: "silent" }), clock: machineClock });
  return { tracing, observer: createObserver({ metrics: undefined, tracing, clock: machineClock }) };
}

function called(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const span = spans.find((each) => each.name === name);
  if (span === undefined) throw new Error(`no span ${name} among ${spans.map((each) => each.name).join(", ")}`);
  return span;
}

/** Whether one span is below the other. */
function isBelow(spans: readonly ReceivedSpan[], span: ReceivedSpan, above: ReceivedSpan): boolean {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent !== undefined && (parent === above || isBelow(spans, parent, above));
}

test("one trace leads from a command to the read-back, and its change finds it", async () => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector, {
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=only-this-test",
    OTEL_SERVICE_NAME: "gantry-eu",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  await using town = await approvalTown({ observer });

  await says(town, town.developer, '/gantry scale web 3 --reason "the sale begins"');
  await tracing.close();
  const id = idOf(card(town.developer));
  const found = collector.spans().filter(({ attributes }) => attributes["gantry.change_id"] === id);
  const root = called(found, "command scale");
  const spans = collector.spans().filter(({ traceId }) => traceId === root.traceId);

  expect(new Set(found.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  expect(root).toMatchObject({
    name: "command scale",
    attributes: { "gantry.kind": "command", "gantry.verb": "scale", "gantry.outcome": "ok" },
    resource: {
      "service.name": "gantry-eu",
      "service.instance.id": "replica-1",
      "deployment.environment.name": "test",
    },
  });
  const way = [
    "store accept",
    "wait: people",
    "policy",
    "store insertChange",
    "wait: due",
    "api updateService",
    "read back",
    "slack chat.postMessage",
  ];
  for (const name of way) expect(isBelow(spans, called(spans, name), called(spans, "command scale")), name).toBe(true);
  const readBack = called(spans, "read back");
  expect(spans.some((span) => span.name === "api getService" && isBelow(spans, span, readBack))).toBe(true);
  expect(collector.headers()).toContain("only-this-test");
  // The log of that request names the trace.
  const lines = town.logged().filter(({ history }) => JSON.stringify(history ?? "").includes(id));
  expect(lines.length).toBeGreaterThan(2);
  expect(new Set(lines.map((line) => line["trace_id"]))).toEqual(new Set([root.traceId]));
});

test("no span has a token, an address of Slack, a name, or what somebody typed", async () => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector);
  await using town = await approvalTown({ observer });

  await says(town, town.developer, '/gantry env web SECRET_WORD=hunter2 --reason "typed by hand"');
  await says(town, town.developer, "/gantry logs web --grep needle");
  await says(town, town.developer, "/gantry scale nosuchworkload 3");
  await says(town, town.developer, "/gantry frobnicate everything");
  await town.developer.says("@gantry show web", { channel: "ops" });
  await town.settled();
  await tracing.close();

  expect(collector.spans().length).toBeGreaterThan(30);
  for (const secret of [town.token, town.botToken, town.signingSecret, "hunter2", "SECRET_WORD", "typed by hand"]) {
    expect(collector.raw()).not.toContain(secret);
  }
  expect(collector.raw()).not.toMatch(/needle|nosuchworkload|frobnicate|U0DANA|C0OPS|hooks|"web"|beijing/u);
  expect(collector.spans().flatMap(({ events }) => events)).toEqual([]);
});

test("an approval is a trace of its own, and the change's id finds both", async () => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector);
  await using town = await approvalTown({ observer });

  await says(town, town.developer, "/gantry restart web");
  await clicks(town, town.approver, "Approve");
  await tracing.close();
  const id = idOf(card(town.developer));
  const found = collector.spans().filter(({ attributes }) => attributes["gantry.change_id"] === id);
  const roots = found.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "");

  expect(roots.map(({ name }) => name)).toEqual(["command restart", "button approve"]);
  const approval = collector.spans().filter(({ traceId }) => traceId === roots[1]?.traceId);
  expect(isBelow(approval, called(approval, "read back"), called(approval, "button approve"))).toBe(true);
});

test("the reference that a person is shown finds the trace of a failure", async () => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector);
  await using failing = await approvalTown({
    observer,
    store: (real) => ({
      ...real,
      insertChange: () => Promise.reject(new Error("a bug that only this test has")),
    }),
  });
  await says(failing, failing.developer, "/gantry scale web 3");
  const reference = /[Rr]eference `?([0-9a-f]{8})/u.exec(whispers(failing.developer).join("\n"))?.[1] ?? "none";
  await failing.stopBot();
  await tracing.close();
  const found = collector.spans().filter(({ attributes }) => attributes["gantry.reference"] === reference);

  expect(found.map(({ name, status }) => [name, status.code])).toEqual([["command scale", 2]]);
  expect(collector.raw()).not.toContain("only this test has");
});

test.each([
  ["it was begun", "getService"],
  ["its change was stored", "claim"],
  ["it was sent", "updateService"],
] as const)("a replica that takes a request over after %s goes on in its trace", async (_title, point) => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector);
  const { town, killAt } = await killTown({ observer, policy: openPolicy });
  await using _town = town;

  await killAt(point, "before", () => town.developer.says("/gantry scale web 3"));
  await tracing.close();
  const id = idOf(card(town.developer));
  const spans = collector.spans().filter(({ attributes }) => attributes["gantry.change_id"] === id);

  expect(spans.map(({ name }) => name)).toContain("resumed scale");
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const resumed = called(spans, "resumed scale");
  expect(resumed.parentSpanId).toMatch(/^[0-9a-f]{16}$/u);
  const whole = collector.spans().filter(({ traceId }) => traceId === resumed.traceId);
  expect(whole.map(({ name }) => name)).toContain("store accept");
});

test("what isn't sampled is neither sent nor named in the log", async () => {
  await using collector = await otlpReceiver();
  const { tracing, observer } = tracingTo(collector, {
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0",
  });
  await using town = await approvalTown({ observer });
  await says(town, town.developer, "/gantry scale web 3");
  await tracing.close();

  expect(collector.spans()).toEqual([]);
  expect(town.logged().filter((line) => "trace_id" in line)).toEqual([]);
});
