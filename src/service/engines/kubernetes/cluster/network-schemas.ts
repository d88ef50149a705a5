import { z } from "zod";
import { listOf, maybe, Metadata, texts } from "./schema-parts.ts";

export const ServiceObject = z.object({
  metadata: Metadata,
  spec: z.object({
    type: maybe(z.string()),
    clusterIP: maybe(z.string()),
    selector: texts,
    ports: listOf(
      z.object({
        name: maybe(z.string()),
        port: z.number(),
        targetPort: maybe(z.union([z.string(), z.number()])),
        nodePort: maybe(z.number()),
        protocol: maybe(z.string()),
      }),
    ),
  }),
  status: maybe(
    z.object({
      loadBalancer: maybe(
        z.object({ ingress: listOf(z.object({ ip: maybe(z.string()), hostname: maybe(z.string()) })) }),
      ),
    }),
  ),
});

const IngressBackend = maybe(z.object({ service: maybe(z.object({ name: z.string() })) }));

export const Ingress = z.object({
  metadata: Metadata,
  spec: z.object({
    ingressClassName: maybe(z.string()),
    defaultBackend: IngressBackend,
    rules: listOf(
      z.object({
        host: maybe(z.string()),
        http: maybe(z.object({ paths: listOf(z.object({ backend: IngressBackend })) })),
      }),
    ),
  }),
});

/** `kind` and `namespace` of a backend are absent for a v1 Service of the route's own namespace. */
const RouteBackend = z.object({ kind: maybe(z.string()), name: z.string(), namespace: maybe(z.string()) });

export const HttpRoute = z.object({
  metadata: Metadata,
  spec: z.object({ hostnames: listOf(z.string()), rules: listOf(z.object({ backendRefs: listOf(RouteBackend) })) }),
});
