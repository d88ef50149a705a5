import { describe, expect, test } from "vitest";
import { kinds } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import {
  routeManifests,
  v1ServiceManifest,
} from "../../../../../src/service/engines/kubernetes/write/service-parts.ts";
import { deployment } from "../support/sent-objects.ts";

const made = kinds.Deployment.schema.parse(deployment("web"));

describe("the address and the routes of a service", () => {
  test("each region has its kind of address", () => {
    const types = (["cluster", "node-port", "load-balancer"] as const).map((kind) =>
      v1ServiceManifest(
        made,
        { mapped: [8080], routed: 8080 },
        kind === "node-port" ? { kind, host: "node" } : { kind },
      ),
    );

    expect(types).toMatchObject(["ClusterIP", "NodePort", "LoadBalancer"].map((type) => ({ spec: { type } })));
    expect(types[0]).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Deployment", uid: made.metadata.uid }] },
      spec: { ports: [{ name: "port-8080", port: 8080, targetPort: 8080 }] },
    });
  });

  test("a port that only domains are routed to is no mapping and stays inside the cluster", () => {
    expect(v1ServiceManifest(made, { mapped: [], routed: 8000 }, { kind: "node-port", host: "node" })).toMatchObject({
      spec: { type: "ClusterIP", ports: [{ name: "domain-8000", port: 8000 }] },
    });
  });

  test("domains are one Ingress, or as many HTTPRoutes as they need", () => {
    const domains = Array.from({ length: 20 }, (_, index) => `d${index}.example.com`);
    const routed = { domains, port: 8080 };

    const [ingress, ...none] = routeManifests(made, routed, { kind: "ingress", ingressClass: "nginx" });
    const routes = routeManifests(made, routed, { kind: "gateway", gateway: { name: "edge", namespace: undefined } });

    expect(none).toEqual([]);
    expect(ingress).toMatchObject({
      kind: "Ingress",
      name: "web",
      body: { spec: { ingressClassName: "nginx", rules: domains.map((host) => ({ host })) } },
    });
    expect(routes.map(({ kind, name }) => [kind, name])).toEqual([
      ["HTTPRoute", "web"],
      ["HTTPRoute", "web.2"],
    ]);
    expect(routes[1]).toMatchObject({
      body: {
        spec: {
          parentRefs: [{ name: "edge" }],
          hostnames: domains.slice(16),
          rules: [{ backendRefs: [{ name: "web", port: 8080 }] }],
        },
      },
    });
    expect(routeManifests(made, { domains: [], port: 8080 }, { kind: "ingress", ingressClass: undefined })).toEqual([]);
  });
});
