import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { version } from "../version.ts";

type OpenMetrics = typeof Registry.OPENMETRICS_CONTENT_TYPE;
type Timed<Label extends string> = { readonly labels: readonly Label[]; readonly buckets: number[] };

/** Calls over a network. */
export const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What a program of ours measures, as OpenMetrics: the process itself, its version, and what is added. */
export function createRegistry() {
  const registry = new Registry<OpenMetrics>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of registry.getMetricsAsArray().map((each) => each.name)) {
    if (/^nodejs_(?:active|heap_space)/u.test(name)) registry.removeSingleMetric(name);
  }
  new Gauge({ name: "gantry_info", help: "The version", labelNames: ["version"], registers }).set({ version }, 1);
  return {
    registry,
    /** The names get the prefix `gantry_`. */
    counter: <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
      new Counter({ name: `gantry_${name}`, help, labelNames, registers }),
    histogram: <Label extends string>(name: string, help: string, { labels, buckets }: Timed<Label>) =>
      new Histogram({ name: `gantry_${name}`, help, labelNames: labels, buckets, registers }),
  };
}
