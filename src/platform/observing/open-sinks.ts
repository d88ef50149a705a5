import type { Logger } from "pino";
import { type Exposed, serveMetrics } from "./metrics-server.ts";
import type { ObservingConfig } from "./observing-config.ts";
import type { Tracing } from "./tracing.ts";

type Parts<Metrics> = {
  /** Names this process in traces. */
  readonly replicaId: string;
  readonly log: Logger;
  /** Called only when there is a port for them. */
  readonly createMetrics: () => Promise<Metrics>;
};

/** Where what is measured and traced goes. */
type OpenSinks<Metrics> = {
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
  /** Of the metrics; undefined when they are off. */
  readonly port: number | undefined;
  readonly close: () => Promise<void>;
};

/** Loads what is on, and nothing else. Throws an Error with a sentence when the port of the metrics can't be had. */
export async function openSinks<Metrics extends Exposed>(
  { metrics: where, tracing: to }: Pick<ObservingConfig, "metrics" | "tracing">,
  { createMetrics, ...parts }: Parts<Metrics>,
): Promise<OpenSinks<Metrics>> {
  const metrics = where && (await createMetrics());
  const tracing = to && (await import("./tracing.ts")).openTracing(to, parts);
  const server = where && metrics && (await serveMetrics(metrics, where, parts.log));
  return {
    metrics,
    tracing,
    port: server?.port,
    async close() {
      await server?.close();
      await tracing?.close();
    },
  };
}
