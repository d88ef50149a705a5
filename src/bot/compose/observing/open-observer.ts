import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import { openSinks } from "../../../platform/observing/open-sinks.ts";
import type { Config } from "../config.ts";
import type { Observer } from "./observer.ts";
import { createObserver } from "./trails.ts";

type Parts = {
  readonly replicaId: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after" | "elapsedMs">;
};

export type Observing = {
  readonly observer: Observer;
  /** Of the metrics; undefined when they are off. */
  readonly port: number | undefined;
  readonly close: () => Promise<void>;
};

/** Loads what is on, and nothing else. Throws an Error with a sentence when the port of the metrics can't be had. */
export async function openObserver(config: Pick<Config, "metrics" | "tracing">, parts: Parts): Promise<Observing> {
  const { port, metrics, tracing, close } = await openSinks(config, {
    ...parts,
    createMetrics: async () => (await import("./metrics.ts")).createMetrics(parts.clock),
  });
  return { observer: createObserver({ metrics, tracing, clock: parts.clock }), port, close };
}
