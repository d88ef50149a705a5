import type { PortMapping } from "../../../workloads/definitions.ts";
import type { Addresses } from "../../../workloads/state/store.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import { isMappedPort } from "../names.ts";
import type { PodTemplate, Remembered } from "./containers.ts";
import type { KubeObject } from "../cluster/kinds.ts";

/**
 * The port mappings of a service and their addresses. Requested ones come first; one without a v1 Service has no
 * address.
 */
export function reachableOf(
  template: PodTemplate,
  v1Services: readonly V1Service[],
  { ports: configured }: Pick<ClusterConfig, "ports">,
  remembered: Remembered | undefined,
): { readonly ports: readonly PortMapping[]; readonly addresses: Addresses } {
  const found = v1Services
    .toSorted((left, right) => reachOf(right) - reachOf(left) || (left.metadata.name < right.metadata.name ? -1 : 1))
    .flatMap((service) => mappedPorts(service, template, configured));
  const ports = new Map<string, PortMapping>();
  for (const { containerPort, protocol } of [...(remembered?.ports ?? []), ...found]) {
    ports.set(`${containerPort}/${protocol}`, { containerPort, protocol });
  }
  const addresses = new Map<number, string>();
  for (const { containerPort, address } of found) {
    if (address !== undefined && !addresses.has(containerPort)) addresses.set(containerPort, address);
  }
  return { ports: [...ports.values()], addresses };
}

/** The address that reaches furthest is shown; a headless v1 Service has none of its own. */
function reachOf({ spec: { type, clusterIP } }: V1Service): number {
  if (type === "LoadBalancer") return 3;
  if (type === "NodePort") return 2;
  return clusterIP === "None" ? 0 : 1;
}

function mappedPorts(service: V1Service, template: PodTemplate, config: ClusterConfig["ports"]) {
  return service.spec.ports.filter(isMappedPort).flatMap((port) => {
    const containerPort = containerPortOf(port, template);
    if (containerPort === undefined) return [];
    const protocol = (port.protocol ?? "TCP").toLowerCase();
    return [{ containerPort, protocol, address: addressOf(service, port, config) }];
  });
}

type ServicePort = V1Service["spec"]["ports"][number];

/** A port of a v1 Service may name a container's port; a missing one means the same number. */
function containerPortOf({ port, targetPort = port }: ServicePort, { spec }: PodTemplate): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const ports = spec.containers.flatMap((container) => container.ports);
  return ports.find(({ name }) => name === targetPort)?.containerPort;
}

/** What the v1 Service offers decides: an adopted one may differ from the configuration. */
function addressOf(service: V1Service, { port, nodePort }: ServicePort, config: ClusterConfig["ports"]) {
  const { metadata, spec, status } = service;
  if (spec.type === "LoadBalancer") {
    const [assigned] = status?.loadBalancer?.ingress ?? [];
    const host = assigned?.hostname ?? assigned?.ip;
    if (host !== undefined) return hostPort(host, port);
    if (config.by === "load-balancer") return undefined; // on its way
  }
  // Clusters can't tell under which name their nodes are reached.
  if (config.by === "node-port" && nodePort !== undefined) return hostPort(config.host, nodePort);
  return hostPort(`${metadata.name}.${metadata.namespace}.svc`, port);
}

function hostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A Service of Kubernetes: an address, not a service of the workload API. */
export type V1Service = KubeObject<"Service">;

type Labels = Readonly<Record<string, string>>;

/** Finds the v1 Services that send traffic to pods with these labels. */
export type V1Services = (podLabels: Labels) => readonly V1Service[];

/**
 * Each v1 Service is filed under the rarest pair of its selector, so that a lookup compares a few of them and not
 * thousands, even where all of them select a common label.
 */
export function indexV1Services(services: readonly V1Service[]): V1Services {
  const pairsOf = new Map(services.map((service) => [service, Object.entries(service.spec.selector).map(pairKey)]));
  const counts = new Map<string, number>();
  for (const pair of [...pairsOf.values()].flat()) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const byPair = Map.groupBy(services, (service) => {
    const pairs = pairsOf.get(service) ?? [];
    // One without a selector has its addresses from somebody else.
    return pairs.toSorted((left, right) => (counts.get(left) ?? 0) - (counts.get(right) ?? 0))[0] ?? "";
  });
  return (podLabels) => {
    const candidates = Object.entries(podLabels).flatMap((pair) => byPair.get(pairKey(pair)) ?? []);
    return candidates.filter(({ spec }) => Object.entries(spec.selector).every(([key, of]) => podLabels[key] === of));
  };
}

function pairKey([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}

/** The domains of a workload, by its uid and the names of its v1 Services. */
export type Domains = (of: { readonly uid: string; readonly v1Services: readonly string[] }) => readonly string[];

type Route = { readonly owners: readonly string[]; readonly backends: readonly string[]; readonly host: string };
type Routes = {
  readonly ingresses: readonly KubeObject<"Ingress">[];
  readonly httpRoutes: readonly KubeObject<"HTTPRoute">[];
};

/** Domains are read from the routes that point to a v1 Service of the workload, or belong to the workload. */
export function indexDomains({ ingresses, httpRoutes }: Routes): Domains {
  const routes = [...ingresses.flatMap(ofIngress), ...httpRoutes.flatMap(ofHttpRoute)];
  const hosts = new Map<string, string[]>();
  for (const { owners, backends, host } of routes) {
    for (const key of [...owners.map(ownerKey), ...backends.map(backendKey)]) {
      const known = hosts.get(key);
      if (known) known.push(host);
      else hosts.set(key, [host]);
    }
  }
  return ({ uid, v1Services }) => {
    return [...new Set([ownerKey(uid), ...v1Services.map(backendKey)].flatMap((key) => hosts.get(key) ?? []))];
  };
}

function ownerKey(uid: string): string {
  return `owner ${uid}`;
}

function backendKey(v1Service: string): string {
  return `backend ${v1Service}`;
}

/** A rule without paths sends everything to the default backend. */
function ofIngress({ metadata, spec }: KubeObject<"Ingress">): Route[] {
  const owners = metadata.ownerReferences.map(({ uid }) => uid);
  const fallback = spec.defaultBackend?.service?.name;
  return spec.rules.flatMap(({ host = "", http }) => {
    if (host === "") return [];
    const named = (http?.paths ?? []).map(({ backend }) => backend?.service?.name);
    const backends = [...(named.length > 0 ? named : [fallback])].filter((name) => name !== undefined);
    return [{ owners, backends, host }];
  });
}

function ofHttpRoute({ metadata, spec }: KubeObject<"HTTPRoute">): Route[] {
  const owners = metadata.ownerReferences.map(({ uid }) => uid);
  const backends = spec.rules
    .flatMap(({ backendRefs }) => backendRefs)
    .filter(
      ({ kind = "Service", namespace = metadata.namespace }) => kind === "Service" && namespace === metadata.namespace,
    )
    .map(({ name }) => name);
  return spec.hostnames.map((host) => ({ owners, backends, host }));
}
