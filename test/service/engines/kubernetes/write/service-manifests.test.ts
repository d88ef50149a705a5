import { describe, expect, test } from "vitest";
import type { NewService } from "../../../../../src/api/schema.ts";
import {
  deploymentManifest,
  rolloutsIn,
  routeManifests,
  v1ServiceManifest,
} from "../../../../../src/service/engines/kubernetes/write/service-manifests.ts";
import { readService } from "../../../../../src/service/workloads/definitions.ts";
import { kinds } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import { deployment } from "../support/sent-objects.ts";
import { config } from "../support/known-objects.ts";

const web: NewService = {
  target_instance_size: 2,
  containers: [
    {
      image: "shop/web:1",
      command: ["web", "$(date)"],
      env: [{ name: "LEVEL", value: "info" }],
      ports: [{ port: 8080 }],
      resources: { limits: { memory: "1Gi" } },
      volumeMounts: [{ name: "Data", mountPath: "/data" }],
    },
    { image: "shop/sidecar:1" },
  ],
  port_mappings: [{ container_port: 8080 }],
  volumes: [{ name: "Data", disk_name: "disk-1", is_read_only: true }],
  sync_timezone: true,
  binding_domain_name: ["shop.example.com"],
};

describe("the Deployment of a service", () => {
  test("holds what was asked for, under names that Kubernetes takes", () => {
    const manifest = manifestOf(web);

    const labels = {
      "app.kubernetes.io/managed-by": "gantry",
      "app.kubernetes.io/name": "web",
      "gantry/service": "web",
    };
    const lifecycle = { preStop: { sleep: { seconds: 5 } } };
    const zone = { mountPath: "/etc/localtime", name: "web-time-zone", readOnly: true };
    expect(manifest).toEqual({
      metadata: {
        name: "web",
        labels,
        annotations: {
          "gantry/remembered":
            '{"volumes":[{"podVolume":"data-cec3a9b89b2e3913","name":"Data","disk":{"name":"disk-1","claim":"disk-1"},"readOnly":true}],"ports":[{"containerPort":8080,"protocol":"tcp"}],"syncTimezone":true}',
          "gantry/request": "r1",
        },
      },
      spec: {
        replicas: 2,
        progressDeadlineSeconds: 120,
        selector: { matchLabels: { "gantry/service": "web" } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            containers: [
              {
                name: "web",
                image: "shop/web:1",
                imagePullPolicy: "IfNotPresent",
                command: ["web", "$$(date)"],
                env: [{ name: "LEVEL", value: "info" }],
                lifecycle,
                ports: [{ containerPort: 8080, protocol: "TCP" }],
                readinessProbe: { failureThreshold: 3, periodSeconds: 2, tcpSocket: { port: 8080 }, timeoutSeconds: 2 },
                resources: { limits: { memory: "1024Mi" } },
                volumeMounts: [{ mountPath: "/data", name: "data-cec3a9b89b2e3913" }, zone],
              },
              {
                name: "web-2",
                image: "shop/sidecar:1",
                imagePullPolicy: "IfNotPresent",
                lifecycle,
                ports: [],
                volumeMounts: [zone],
              },
            ],
            volumes: [
              {
                name: "data-cec3a9b89b2e3913",
                persistentVolumeClaim: { claimName: "disk-1", readOnly: true },
              },
              { name: "web-time-zone", hostPath: { path: "/etc/localtime" } },
            ],
          },
        },
      },
    });
  });

  test("that holds a disk is replaced before its successor starts", () => {
    const manifest = manifestOf({ containers: [{ image: "db" }], target_instance_size: 0 }, true);

    expect(manifest).toMatchObject({
      metadata: { annotations: { "gantry/idle": "true" } },
      spec: { replicas: 0, strategy: { type: "Recreate" } },
    });
    expect(JSON.stringify(manifest)).not.toContain("preStop");
  });

  test.each<[string, NewService]>([
    ["a mapped port", { containers: [{ image: "web" }], port_mappings: [{ container_port: 80 }] }],
    ["a port that a domain can be routed to", { containers: [{ image: "web", ports: [{ port: 80 }] }] }],
  ])("with %s serves on for a moment when it is told to end", (_, body) => {
    expect(JSON.stringify(manifestOf(body))).toContain('"lifecycle":{"preStop":{"sleep":{"seconds":5}}}');
  });

  test("whose port is probed is ready when it answers; without one, when it has run for a while", () => {
    expect(manifestOf({ containers: [{ image: "worker" }] })).toMatchObject({ spec: { minReadySeconds: 5 } });
    expect(JSON.stringify(manifestOf(web))).not.toContain("minReadySeconds");
  });

  test("that nobody reaches ends at once", () => {
    expect(JSON.stringify(manifestOf({ containers: [{ image: "worker" }] }))).not.toContain("preStop");
  });
});

function manifestOf(body: NewService, holdsDisk = false): object {
  return deploymentManifest({
    name: "web",
    definition: readService("web", body, () => undefined),
    settings: { defaults: {}, isRestricted: false },
    rollouts: { progressDeadlineSeconds: 120, preStopSeconds: 5 },
    request: "r1",
    holdsDisk,
    making: undefined,
  });
}

test.each([
  ["v1.20.2", {}, { progressDeadlineSeconds: 120, preStopSeconds: 0 }],
  ["v1.29.9", { preStopSeconds: 5 }, { progressDeadlineSeconds: 120, preStopSeconds: 0 }],
  ["v1.30.0", {}, { progressDeadlineSeconds: 120, preStopSeconds: 5 }],
  ["v1.36.1-gke.1", { preStopSeconds: 0 }, { progressDeadlineSeconds: 120, preStopSeconds: 0 }],
  ["v1.36.1", { progressDeadlineSeconds: 900 }, { progressDeadlineSeconds: 900, preStopSeconds: 5 }],
  ["unknown", {}, { progressDeadlineSeconds: 120, preStopSeconds: 0 }],
])("rollouts on %s with the settings %j", (version, rollouts, expected) => {
  expect(rolloutsIn({ config: { ...config, rollouts }, version })).toEqual(expected);
});

const made = kinds.Deployment.schema.parse(deployment("web"));

describe("the address and the routes of a service", () => {
  test("each region has its kind of address", () => {
    const types = (["cluster", "node-port", "load-balancer"] as const).map((by) =>
      v1ServiceManifest(made, { mapped: [8080], routed: 8080 }, by === "node-port" ? { by, host: "node" } : { by }),
    );

    expect(types).toMatchObject(["ClusterIP", "NodePort", "LoadBalancer"].map((type) => ({ spec: { type } })));
    expect(types[0]).toMatchObject({
      metadata: { ownerReferences: [{ kind: "Deployment", uid: made.metadata.uid }] },
      spec: { ports: [{ name: "port-8080", port: 8080, targetPort: 8080 }] },
    });
  });

  test("a port that only domains are routed to is no mapping and stays inside the cluster", () => {
    expect(v1ServiceManifest(made, { mapped: [], routed: 8000 }, { by: "node-port", host: "node" })).toMatchObject({
      spec: { type: "ClusterIP", ports: [{ name: "domain-8000", port: 8000 }] },
    });
  });

  test("domains are one Ingress, or as many HTTPRoutes as they need", () => {
    const domains = Array.from({ length: 20 }, (_, index) => `d${index}.example.com`);
    const routed = { domains, port: 8080 };

    const [ingress, ...none] = routeManifests(made, routed, { by: "ingress", class: "nginx" });
    const routes = routeManifests(made, routed, { by: "gateway", gateway: "edge" });

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
    expect(routeManifests(made, { domains: [], port: 8080 }, { by: "ingress" })).toEqual([]);
  });
});
