import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { createTrail, type Followed, measuring } from "../../platform/observing/measuring.ts";
import type { ObservingConfig } from "../../platform/observing/observing-config.ts";
import { openSinks } from "../../platform/observing/open-sinks.ts";
import type { OpenSpan, Tracing } from "../../platform/observing/tracing.ts";
import { onTrail } from "../../platform/trail.ts";
import type { Follow } from "../api/serve.ts";
import { aroundEach, type Engine, Refusal } from "../engine.ts";
import type { ServiceMetrics } from "./service-metrics.ts";

type Parts = { readonly replicaId: string; readonly log: Logger; readonly clock: Pick<Clock, "after" | "elapsedMs"> };

/** Loads what is on, and nothing else. Throws an Error with a sentence when the port of the metrics can't be had. */
export async function openServiceObserver(config: Pick<ObservingConfig, "metrics" | "tracing">, parts: Parts) {
  const { metrics, tracing, port, close } = await openSinks(config, {
    ...parts,
    createMetrics: async () => (await import("./service-metrics.ts")).createServiceMetrics(),
  });
  // The port is that of the metrics; undefined when they are off.
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
