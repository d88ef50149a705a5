import {
  type Attributes,
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { Clock } from "../clock.ts";
import type { Ended } from "../trail.ts";
import { version } from "../version.ts";
import { within } from "../waiting.ts";
import type { TracingConfig } from "./observing-config.ts";

// OpenTelemetry, which is loaded only when an endpoint is set. Spans are handed on explicitly: nothing is registered for
// the whole process.

export type OpenSpan = {
  readonly begin: (name: string, isCall: boolean) => OpenSpan;
  readonly rename: (name: string) => void;
  /** Short words and ids of ours. */
  readonly set: (attributes: Readonly<Record<string, string>>) => void;
  readonly end: (ended?: Ended) => void;
  readonly traceparent: string | undefined;
  /** Undefined when the trace isn't recorded, so that nobody looks for it. */
  readonly traceId: string | undefined;
};

export type Tracing = {
  /** Begins what Slack delivered, or goes on in the trace of a `traceparent`. */
  readonly begin: (name: string, traceparent: string | undefined) => OpenSpan;
  /** Sends what is left, within two seconds. Never rejects. */
  readonly close: () => Promise<void>;
};

type Parts = {
  readonly replicaId: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after" | "elapsedMs">;
};

export function openTracing(config: TracingConfig, { replicaId, log, clock }: Parts): Tracing {
  const { url, headers, serviceName, attributes } = config;
  logTrouble(log, clock);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...attributes,
      "service.name": serviceName,
      "service.version": version,
      "service.instance.id": replicaId,
    }),
    sampler: samplerOf(config),
    spanLimits: { attributeValueLengthLimit: 200, attributeCountLimit: 16 },
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, headers: { ...headers } }) })],
  });
  const tracer = provider.getTracer("gantry", version);
  return {
    begin: (name, traceparent) => open(tracer, { name, kind: SpanKind.SERVER, parent: contextOf(traceparent) }),
    close: () => within(CLOSE_WITHIN_MS, provider.shutdown(), () => undefined, clock).catch(() => undefined),
  };
}

const CLOSE_WITHIN_MS = 2_000;

function samplerOf({ sampler, ratio }: Pick<TracingConfig, "sampler" | "ratio">): Sampler {
  const name = sampler.replace("parentbased_", "");
  const root =
    name === "always_off"
      ? new AlwaysOffSampler()
      : name === "traceidratio"
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/u;

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

type Opening = { readonly name: string; readonly kind: SpanKind; readonly parent: Context };

function open(tracer: Tracer, { name, kind, parent }: Opening): OpenSpan {
  const span = tracer.startSpan(name, { kind }, parent);
  const inside = trace.setSpan(parent, span);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    begin: (child, isCall) =>
      open(tracer, { name: child, kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL, parent: inside }),
    rename: (to) => void span.updateName(to),
    // What is told of it after its end is nobody's: the library would warn.
    set: (attributes: Attributes) => void (span.isRecording() && span.setAttributes(attributes)),
    end: (ended) => end(span, ended),
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    traceId: span.isRecording() ? traceId : undefined,
  };
}

/** Of an error only the name: its message can hold what somebody typed. */
function end(span: Span, ended: Ended | undefined): void {
  if (ended !== undefined && "status" in ended) span.setAttribute("gantry.status", ended.status);
  if (ended !== undefined && "error" in ended) {
    const { error } = ended;
    span.setStatus({ code: SpanStatusCode.ERROR });
    if (error instanceof Error) span.setAttribute("error.type", error.name);
  }
  span.end();
}

const SAY_EVERY_MS = 60_000;

/** The library tells its trouble, such as a collector that is away, with each batch: the log has it once a minute. */
function logTrouble(log: Logger, clock: Pick<Clock, "elapsedMs">): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (reason: string): void => {
    if (clock.elapsedMs() - saidAt < SAY_EVERY_MS) return;
    saidAt = clock.elapsedMs();
    log.warn({ reason: reason.slice(0, 300) }, "couldn't send traces");
  };
  const nothing = (): void => undefined;
  diag.setLogger(
    { error: say, warn: say, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
