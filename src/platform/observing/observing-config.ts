import { z } from "zod";
import { type TracingConfig, tracingOf, tracingVariables } from "./tracing-config.ts";

/** What a program of ours tells about itself, and where. */
export type ObservingConfig = {
  readonly logFormat: "json" | "pretty";
  /** Undefined: nothing is measured. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined;
};

const portForm = "must be a port from 0 to 65535, or unset";

export const observingVariables = {
  GANTRY_METRICS_PORT: z.coerce
    .number({ error: portForm })
    .int({ error: portForm })
    .min(0, { error: portForm })
    .max(65_535, { error: portForm })
    .optional(),
  GANTRY_METRICS_HOST: z.string().default("127.0.0.1"),
  ...tracingVariables,
  LOG_FORMAT: z.enum(["json", "pretty"], "must be json or pretty").default("json"),
};

/** `serviceName` is this program's in traces, unless the operator names it. */
export function observingOf(
  env: z.infer<z.ZodObject<typeof observingVariables>>,
  serviceName: string,
): ObservingConfig {
  const { GANTRY_METRICS_HOST: host, GANTRY_METRICS_PORT: port } = env;
  return {
    logFormat: env.LOG_FORMAT,
    metrics: port === undefined ? undefined : { host, port },
    tracing: tracingOf(env, serviceName),
  };
}
