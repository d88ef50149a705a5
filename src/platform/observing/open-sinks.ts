import { troubleIn } from "../http/guard-server.ts";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import { listen, type Listener } from "../http/listen.ts";
import type { ObservingConfig } from "./observing-config.ts";
import type { Tracing } from "./tracing.ts";

type Parts<Metrics> = {
  /** Names this process in traces. */
  readonly replicaId: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after" | "elapsedMs">;
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

/** Loads only what is switched on. Throws an Error with a sentence when the metrics port can't be opened. */
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

type Exposed = { readonly text: () => Promise<string>; readonly contentType: string };

/** Metrics have a port of their own, which Slack and people don't reach. Throws an Error with a sentence when it can't be had. */
function serveMetrics(
  { text, contentType }: Exposed,
  where: NonNullable<ObservingConfig["metrics"]>,
  log: Logger,
): Promise<Listener> {
  const answer = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== "/metrics")
      return Response.json({ message: "see /metrics" }, { status: 404 });
    if (request.method !== "GET" && request.method !== "HEAD") return new Response(undefined, { status: 405 });
    const openMetrics = await text();
    const [body, type] = prefersText(request.headers.get("accept"))
      ? [asText(openMetrics), TEXT_FORMAT]
      : [openMetrics, contentType];
    return new Response(body, { headers: { "content-type": type, vary: "accept" } });
  };
  return listen(answer, {
    ...where,
    variable: "GANTRY_METRICS_PORT",
    onTrouble: troubleIn(log),
  });
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** Whether an `Accept` header prefers the text format to OpenMetrics, which everybody else gets. Pure. */
export function prefersText(accept: string | null): boolean {
  const ranges = (accept ?? "").toLowerCase().split(",").map(rangeOf);
  // The most specific range counts: `text/plain;q=0, */*` refuses text.
  const weightOf = (...names: readonly string[]): number => {
    const named = names.map((name) => ranges.filter((range) => range.name === name)).find(({ length }) => length > 0);
    return Math.max(0, ...(named ?? []).map(({ weight }) => weight));
  };
  const text = weightOf("text/plain", "text/*", "*/*");
  return text > weightOf("application/openmetrics-text", "application/*", "*/*");
}

function rangeOf(text: string): { readonly name: string; readonly weight: number } {
  const [name = "", ...parameters] = text.split(";").map((each) => each.trim());
  const [, weight = "1"] =
    parameters.map((each) => /^q\s*=\s*([\d.]+)$/u.exec(each)).find((found) => found !== null) ?? [];
  return { name, weight: Number(weight) };
}

/**
 * OpenMetrics as the text format: there the name of a counter ends in `_total` also where it is described, and nothing
 * marks the end. prom-client can't write both: for OpenMetrics it renames its counters for good. Pure.
 */
export function asText(openMetrics: string): string {
  const counters = new Set(Array.from(openMetrics.matchAll(/^# TYPE (\S+) counter$/gmu), ([, name]) => name));
  return openMetrics
    .replace(/^# EOF\n/mu, "")
    .replaceAll(/^# (?:HELP|TYPE) (\S+)/gmu, (line, name: string) => (counters.has(name) ? `${line}_total` : line));
}
