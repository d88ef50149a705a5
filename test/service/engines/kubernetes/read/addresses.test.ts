import { expect, test } from "vitest";
import { writeRemembered } from "../../../../../src/service/engines/kubernetes/read/containers.ts";
import { deployment, object, v1Service } from "../support/sent-objects.ts";
import { servicesOf } from "../support/read-service.ts";

const web = deployment("web", {
  podSpec: { containers: [{ name: "app", ports: [{ name: "http", containerPort: 8080 }] }] },
});
const port = { port: 80, targetPort: "http", nodePort: 30_080 };
const nodes = { ports: { by: "node-port", host: "k8s.example" } } as const;
const balanced = { ports: { by: "load-balancer" } } as const;

const addresses = [
  ["inside the cluster", {}, { ports: [port] }, {}, "web.team.svc:80"],
  ["on a port of the nodes", nodes, { type: "NodePort", ports: [port] }, {}, "k8s.example:30080"],
  [
    "only inside the cluster, where its v1 Service has no more",
    nodes,
    { ports: [{ port: 80, targetPort: 8080 }] },
    {},
    "web.team.svc:80",
  ],
  [
    "by a name of its load balancer",
    balanced,
    { type: "LoadBalancer", ports: [port] },
    { ip: "203.0.113.7", hostname: "lb.example" },
    "lb.example:80",
  ],
  [
    "by the address of its load balancer",
    balanced,
    { type: "LoadBalancer", ports: [port] },
    { ip: "203.0.113.7" },
    "203.0.113.7:80",
  ],
  ["by an IPv6 address", balanced, { type: "LoadBalancer", ports: [port] }, { ip: "2001:db8::7" }, "[2001:db8::7]:80"],
  ["by the same number, if its v1 Service names none", {}, { ports: [{ port: 8080 }] }, {}, "web.team.svc:8080"],
] as const;

test.each(addresses)("a service is reached %s", (...[, config, spec, ingress, expected]) => {
  const [service] = servicesOf([web, v1Service("web", spec, { loadBalancer: { ingress: [ingress] } })], config);

  expect(service?.port_mappings).toEqual([{ service_url: expected, container_port: 8080, protocol: "tcp" }]);
  expect(service?.default_domain_name).toBe(expected);
});

test("a load balancer that isn't assigned yet has no address", () => {
  const [service] = servicesOf([web, v1Service("web", { type: "LoadBalancer", ports: [port] })], balanced);

  expect(service?.port_mappings).toEqual([{ container_port: 8080, protocol: "tcp" }]);
  expect(service).not.toHaveProperty("default_domain_name");
});

test("of several v1 Services, the address that reaches furthest is told, and every port", () => {
  const selector = { app: "web" };
  const udp = { port: 9090, protocol: "UDP", nodePort: 30_090 };
  const sent = [
    web,
    v1Service("headless", { selector, clusterIP: "None", ports: [port] }),
    v1Service("outside", { selector, type: "NodePort", ports: [port, udp] }),
    v1Service("of-another", { selector: { ...selector, tier: "x" }, ports: [{ port: 1 }] }),
    v1Service("without-selector", { selector: null, ports: [{ port: 2 }] }),
  ];

  expect(servicesOf(sent, nodes)[0]?.port_mappings).toEqual([
    { service_url: "k8s.example:30080", container_port: 8080, protocol: "tcp" },
    { service_url: "k8s.example:30090", container_port: 9090, protocol: "udp" },
  ]);
});

test("requested mappings keep their order, and one without a v1 Service has no address", () => {
  const ports = [9090, 8080].map((containerPort) => ({ containerPort, protocol: "tcp" }));
  const annotations = { "gantry/remembered": writeRemembered({ ports }) };
  const sent = [deployment("web", { metadata: { annotations } }), v1Service("web", { ports: [{ port: 8080 }] })];

  expect(servicesOf(sent)[0]?.port_mappings).toEqual([
    { container_port: 9090, protocol: "tcp" },
    { service_url: "web.team.svc:8080", container_port: 8080, protocol: "tcp" },
  ]);
});

test("a port that only routes use is no mapping", () => {
  const ports = [{ name: "domain-8080", port: 8080 }];

  expect(servicesOf([web, v1Service("web", { ports })])[0]?.port_mappings).toEqual([]);
});

const rule = (host: string | undefined, name: string) => ({
  ...(host !== undefined && { host }),
  http: { paths: [{ path: "/", backend: { service: { name } } }] },
});

test("the domains of an Ingress are those whose rules point to the service", () => {
  const rules = [rule("shop.example", "web"), rule("www.shop.example", "web"), rule("shop.example", "web")];
  const sent = [
    web,
    v1Service("web", { ports: [port] }),
    object("Ingress", "shop", { spec: { rules: [...rules, rule("mail.example", "mail"), rule(undefined, "web")] } }),
    object("Ingress", "rest", {
      spec: { defaultBackend: { service: { name: "web" } }, rules: [{ host: "old.example" }] },
    }),
  ];

  const [service] = servicesOf(sent, { domains: { by: "ingress" } });

  expect(service?.binding_domain_name).toEqual(["shop.example", "www.shop.example", "old.example"]);
});

test("the domains of HTTPRoutes are those that point to the service, or belong to it", () => {
  const route = (name: string, host: string, backend: object) => {
    return object("HTTPRoute", name, { spec: { hostnames: [host], rules: [{ backendRefs: [backend] }] } });
  };
  const ownerReferences = [{ kind: "Deployment", name: "web", uid: "uid of Deployment web" }];
  const own = route("own", "new.example", { name: "not-made-yet" });
  const sent = [
    web,
    v1Service("web", { ports: [port] }),
    route("by-backend", "shop.example", { name: "web", kind: "Service" }),
    route("elsewhere", "other.example", { name: "web", namespace: "other" }),
    { ...own, metadata: { ...Object(own["metadata"]), ownerReferences } },
  ];

  const [service] = servicesOf(sent, { domains: { by: "gateway", gateway: "edge" } });

  expect(service?.binding_domain_name).toEqual(["new.example", "shop.example"]);
});

test("where no domains are configured, none are read", () => {
  const sent = [
    web,
    v1Service("web", { ports: [port] }),
    object("Ingress", "shop", { spec: { rules: [rule("shop.example", "web")] } }),
  ];

  expect(servicesOf(sent)[0]?.binding_domain_name).toEqual([]);
});
