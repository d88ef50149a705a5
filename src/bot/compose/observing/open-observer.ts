import type { Logger } from "pino";
import { openSinks } from "../../../platform/observing/open-sinks.ts";
import type { Config } from "../config.ts";
import type { Observer } from "./observer.ts";
import { createObserver } from "./trails.ts";

type Parts = { readonly replicaId: string; readonly log: Logger };

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
    createMetrics: async () => (await import("./metrics.ts")).createMetrics(),
  });
  return { observer: createObserver({ metrics, tracing }), port, close };
}
