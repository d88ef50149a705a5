import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { createTrail, type Followed, measuring, statusLabel } from "../../platform/observing/measuring.ts";
import type { ObservingConfig } from "../../platform/observing/observing-config.ts";
import { openSinks } from "../../platform/observing/open-sinks.ts";
import type { OpenSpan, Tracing } from "../../platform/observing/tracing.ts";
import { onTrail, type Call } from "../../platform/trail.ts";
import type { Follow } from "../api/serve.ts";
import { aroundEach, type Engine, Refusal } from "../engine.ts";
import type * as Registry from "../../platform/observing/registry.ts";

type Parts = { readonly replicaId: string; readonly log: Logger; readonly clock: Pick<Clock, "after" | "elapsedMs"> };

/** Loads only what is switched on. Throws an Error with a sentence when the metrics port can't be opened. */
export async function openServiceObserver(config: Pick<ObservingConfig, "metrics" | "tracing">, parts: Parts) {
  const { metrics, tracing, port, close } = await openSinks(config, {
    ...parts,
    createMetrics: async () => createServiceMetrics(await import("../../platform/observing/registry.ts")),
  });
  // The metrics port; undefined when metrics are off.
  return { observer: createServiceObserver({ metrics, tracing }, parts.clock), port, close };
}

type Sinks = { readonly metrics: ServiceMetrics | undefined; readonly tracing: Tracing | undefined };

/** Sees what the workload API does anyway, and changes nothing about it. */
function createServiceObserver({ metrics, tracing }: Sinks, clock: Pick<Clock, "elapsedMs">) {
  const measure = measuring<"engine">(clock, (call) => call, metrics?.called);
  return {
    follow: async ({ operation = "other", traceparent }: Parameters<Follow>[0], answer: () => Promise<number>) => {
      const startedAt = clock.elapsedMs();
      const span = tracing?.begin(operation, traceparent);
      const status = await onTrail(createTrail(followed(span), span), answer);
      metrics?.answered(operation, { status: String(status), seconds: (clock.elapsedMs() - startedAt) / 1_000 });
      span?.end(status < 500 ? { status: String(status) } : { error: undefined });
    },
    measured: (engine: Engine) =>
      aroundEach(engine, (run, { op: name }) => measure({ to: "engine", name }, run, statusOf)),
  };
}

const nothing = (): void => undefined;

function followed(span: OpenSpan | undefined): Followed {
  return {
    annotate: ({ reference }) => void (reference !== undefined && span?.set({ "gantry.reference": reference })),
    hold: () => nothing,
  };
}

/** A refusal by its status: the engine did its part. */
function statusOf(ended: { readonly value: unknown } | { readonly error: unknown }): string {
  if ("value" in ended) return "ok";
  return ended.error instanceof Refusal ? String(ended.error.status) : "failed";
}

type Ended = { readonly status: string; readonly seconds: number };

type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

/** What the workload API counts and times. Labels have only operations of the contract and statuses of a closed list. */
export function createServiceMetrics({ createRegistry, callBuckets }: typeof Registry) {
  const { registry, counter, histogram } = createRegistry();
  const labels = ["operation"] as const; // literal words
  const timed = { labels, buckets: callBuckets };
  const requests = counter("service_requests_total", "Requests by their HTTP status", [...labels, "status"]);
  const requestSeconds = histogram("service_request_seconds", "From a request to its answer", timed);
  const calls = counter("service_engine_calls_total", "Operations that the engine ran", [...labels, "status"]);
  const callSeconds = histogram("service_engine_call_seconds", "Duration of operations in the engine", timed);
  return {
    answered(operation: string, { status, seconds }: Ended) {
      requests.inc({ operation, status: statusLabel(status) });
      requestSeconds.observe({ operation }, seconds);
    },
    called: ({ name: operation }: Call<"engine">, { status, seconds }: Ended) => {
      calls.inc({ operation, status });
      callSeconds.observe({ operation }, seconds);
    },
    /** All of it as OpenMetrics. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
