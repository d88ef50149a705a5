import { z } from "zod";
import { port, shapeOf, httpUrl } from "../settings.ts";
import { decodedIn } from "../optional.ts";

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Where traces are sent, and which. */
export type TracingConfig = {
  /** The whole address, /v1/traces included. */
  readonly url: string;
  /** May hold a token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: (typeof samplers)[number];
  readonly ratio: number;
};

/** `key=value,key2=value2`, with percent encoding: https://opentelemetry.io/docs/specs/otel/resource/sdk/ */
const pairs = z.string().transform((text, context) => {
  const entries = text
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, Math.max(0, at)).trim(), decodedIn(pair.slice(at + 1).trim())] as const;
    });
  if (entries.every(([key, value]) => /^[\w!#$%&'*+.^`|~-]+$/u.test(key) && value !== undefined)) {
    return Object.fromEntries(entries.map(([key, value = ""]) => [key, value]));
  }
  context.addIssue("must be pairs separated by commas, like api-key=abc,team=ops");
  return z.NEVER;
});

const url = httpUrl("http://collector:4318").optional();

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: url,
    unset: "off",
    meaning:
      "The address of an OpenTelemetry collector, `http://collector:4318`: turns on [tracing](monitoring.md#tracing). Not " +
      "reached through a proxy.",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: url,
    unset: "`/v1/traces` at the address above",
    meaning: "The whole address for traces, if it is another one.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: pairs.optional(),
    meaning: "Headers for the collector: `api-key=abc,team=ops`.",
    secrets: (text: string) => Object.values(pairs.parse(text)),
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: z
      .literal("http/json", "must be http/json or unset: Gantry sends JSON over HTTP, usually to port 4318")
      .optional(),
    unset: "http/json",
    meaning: "Only `http/json`.",
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().optional(),
    unset: "gantry (gantry-workload-api for the workload API alone)",
    meaning: "The name of this deployment in traces.",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairs.optional(),
    meaning: "What else traces say about this process: `deployment.environment.name=production`.",
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplers, `must be ${samplers.join(", ")} or unset`).default("parentbased_always_on"),
    meaning:
      "Which interactions are traced: `always_on`, `always_off`, `traceidratio`, or one of them after `parentbased_`.",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce
      .number({ error: "must be a number from 0 to 1" })
      .min(0, { error: "must be a number from 0 to 1" })
      .max(1, { error: "must be a number from 0 to 1" })
      .default(1),
    meaning: "The share for `traceidratio`: `0.1` is one in ten.",
  },
  OTEL_SDK_DISABLED: {
    schema: z.enum(["true", "false"], "must be true or false").default("false"),
    meaning: "`true`: no tracing, whatever else is set.",
  },
};

/** Undefined without an endpoint: nothing is traced, and nothing of it is loaded. */
function tracingOf(env: z.infer<typeof Shape>, serviceName: string): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = env;
  const target = whole ?? (base === undefined ? undefined : `${base.replace(/\/+$/u, "")}/v1/traces`);
  if (target === undefined || env.OTEL_SDK_DISABLED === "true") return undefined;
  return {
    url: target,
    headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: env.OTEL_SERVICE_NAME ?? serviceName,
    attributes: env.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

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
