import { createServer } from "node:http";
import { z } from "zod";
import { portOf } from "../../src/platform/http/port.ts";

const Attribute = z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) });
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: z.array(Attribute).default([]),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).default({}),
  events: z.array(z.unknown()).default([]),
});

/** https://opentelemetry.io/docs/specs/otlp/#otlphttp-request, as JSON. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export type ReceivedSpan = Omit<z.infer<typeof Span>, "attributes"> & {
  readonly attributes: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
};

export type OtlpReceiver = {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** Everything that was received, as it came. */
  readonly raw: () => string;
  readonly headers: () => readonly (string | undefined)[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A collector of OpenTelemetry that keeps what it gets. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      if (request.url === "/v1/traces" && request.method === "POST") bodies.push(body);
      keys.push(request.headers["api-key"]?.toString());
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    spans: () => bodies.flatMap((body) => spansIn(Export.parse(JSON.parse(body)))),
    raw: () => bodies.join("\n"),
    headers: () => keys,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function spansIn({ resourceSpans }: z.infer<typeof Export>): readonly ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: record(span.attributes),
        resource: record(resource.attributes),
      })),
    ),
  );
}

function record(attributes: readonly z.infer<typeof Attribute>[]): Readonly<Record<string, string>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? ""]));
}
