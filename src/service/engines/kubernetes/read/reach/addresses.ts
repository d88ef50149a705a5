import type { PortMapping } from "../../../../workloads/definitions/service-definition.ts";
import type { Addresses } from "../../../../workloads/state/service-store.ts";
import type { ClusterConfig } from "../../cluster/cluster-config.ts";
import { isMappedPort } from "../../write/object-names.ts";
import type { PodTemplate } from "../containers.ts";
import type { Remembered } from "../remembered.ts";
import type { V1Service } from "./v1-services.ts";

export type Reachable = { readonly ports: readonly PortMapping[]; readonly addresses: Addresses };

type Reading = {
  readonly template: PodTemplate;
  readonly v1Services: readonly V1Service[];
  readonly config: Pick<ClusterConfig, "ports">;
  readonly remembered: Remembered | undefined;
};

type Mapped = PortMapping & { readonly address: string | undefined };

/**
 * The port mappings of a service and their addresses. Requested ones come first; one without a v1 Service has no
 * address.
 */
export function reachableOf({ template, v1Services, config, remembered }: Reading): Reachable {
  const found = v1Services
    .toSorted((left, right) => reachOf(right) - reachOf(left) || (left.metadata.name < right.metadata.name ? -1 : 1))
    .flatMap((service) => mappedPorts(service, template, config.ports));
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

function mappedPorts(service: V1Service, template: PodTemplate, config: ClusterConfig["ports"]): Mapped[] {
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
    if (config.kind === "load-balancer") return undefined; // on its way
  }
  // Clusters can't tell under which name their nodes are reached.
  if (config.kind === "node-port" && nodePort !== undefined) return hostPort(config.host, nodePort);
  return hostPort(`${metadata.name}.${metadata.namespace}.svc`, port);
}

function hostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
