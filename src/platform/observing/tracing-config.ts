import { z } from "zod";

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
      return [pair.slice(0, Math.max(0, at)).trim(), decoded(pair.slice(at + 1).trim())] as const;
    });
  if (entries.every(([key, value]) => /^[\w!#$%&'*+.^`|~-]+$/u.test(key) && value !== undefined)) {
    return Object.fromEntries(entries.map(([key, value = ""]) => [key, value]));
  }
  context.addIssue("must be pairs separated by commas, like api-key=abc,team=ops");
  return z.NEVER;
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const url = z.string().refine((text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol), {
  error: "must be a URL that starts with https:// or http://, like http://collector:4318",
});

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/json", "must be http/json or unset: Gantry sends JSON over HTTP, usually to port 4318")
    .optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers, `must be ${samplers.join(", ")} or unset`).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: "must be a number from 0 to 1" })
    .min(0, { error: "must be a number from 0 to 1" })
    .max(1, { error: "must be a number from 0 to 1" })
    .default(1),
  OTEL_SDK_DISABLED: z.enum(["true", "false"], "must be true or false").default("false"),
};

type Given = z.infer<z.ZodObject<typeof tracingVariables>>;

/** Undefined without an endpoint: nothing is traced, and nothing of it is loaded. */
export function tracingOf(env: Given, serviceName: string): TracingConfig | undefined {
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
