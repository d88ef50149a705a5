import { z } from "zod";
import { port, shapeOf } from "../settings.ts";
import { type TracingConfig, tracingOf, tracingSettings } from "./tracing-config.ts";

/** What a program of ours tells about itself, and where. */
export type ObservingConfig = {
  readonly logFormat: "json" | "pretty";
  /** Undefined: nothing is measured. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined;
};

export const observingSettings = {
  LOG_FORMAT: {
    schema: z.enum(["json", "pretty"], "must be json or pretty").default("json"),
    meaning: "`pretty`: lines for a terminal, see [the log](monitoring.md#logs).",
  },
  GANTRY_METRICS_PORT: {
    schema: port("off").optional(),
    unset: "off",
    meaning: "The port for `/metrics`, see [monitoring](monitoring.md).",
  },
  GANTRY_METRICS_HOST: { schema: z.string().default("127.0.0.1"), meaning: "The address that metrics are read at." },
  ...tracingSettings,
};

const Shape = z.object(shapeOf(observingSettings));

/** `serviceName` is this program's in traces, unless the operator names it. */
export function observingOf(env: z.infer<typeof Shape>, serviceName: string): ObservingConfig {
  const { GANTRY_METRICS_HOST: host, GANTRY_METRICS_PORT: port } = env;
  return {
    logFormat: env.LOG_FORMAT,
    metrics: port === undefined ? undefined : { host, port },
    tracing: tracingOf(env, serviceName),
  };
}
