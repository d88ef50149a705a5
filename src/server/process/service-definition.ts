import type { ContainerUpdate, NewService, ServiceUpdate } from "../../api/schema.ts";
import { Refusal } from "../engine.ts";
import type { CatalogueEntry } from "./catalogue.ts";
import { readContainers, refuseTwins, type Container } from "./container.ts";
import { readMemory } from "./memory-limit.ts";

/** A port of the service that is reachable on the host. `hostPort` is chosen once and kept. */
export type PortMapping = { readonly containerPort: number; readonly protocol: string; readonly hostPort: number };

/** What a service is meant to be. */
export type ServiceDefinition = {
  readonly size: number;
  readonly containers: readonly Container[];
  readonly ports: readonly PortMapping[];
  readonly volumes: readonly { readonly name: string; readonly diskName: string; readonly readOnly: boolean }[];
  readonly syncTimezone: boolean;
  readonly domains: readonly string[];
};

/** Reads a creation body; host ports are 0 until one is found. Throws a `Refusal` 400 that says what is wrong. */
export function readService(name: string, body: NewService, catalogue: readonly CatalogueEntry[]): ServiceDefinition {
  const volumes = (body.volumes ?? []).map((volume) => ({
    name: volume.name,
    diskName: volume.disk_name,
    readOnly: volume.is_read_only ?? false,
  }));
  const around = { catalogue, workload: name, volumes: volumes.map((volume) => volume.name) };
  return {
    size: body.target_instance_size ?? 1,
    containers: readContainers(body.containers, around),
    ports: readPorts(body),
    volumes,
    syncTimezone: body.sync_timezone ?? false,
    domains: readDomains(body.binding_domain_name ?? []),
  };
}

function readPorts({ port_mappings: mappings = [] }: NewService): PortMapping[] {
  refuseTwins(
    "port_mappings",
    mappings.map((mapping) => String(mapping.container_port)),
  );
  return mappings.map(({ container_port, protocol = "tcp" }) => {
    if (protocol.toLowerCase() !== "tcp") {
      throw new Refusal(400, `port_mappings: the protocol ${protocol} cannot be forwarded here, only tcp`);
    }
    return { containerPort: container_port, protocol: "tcp", hostPort: 0 };
  });
}

function readDomains(domains: readonly string[]): readonly string[] {
  refuseTwins(
    "binding_domain_name",
    domains.map((domain) => domain.toLowerCase()),
  );
  return domains;
}

/** What the service is after a partial update: what the body leaves out stays. Throws a `Refusal` 400. */
export function updated(definition: ServiceDefinition, body: ServiceUpdate): ServiceDefinition {
  const containers = [...definition.containers];
  for (const [position, change] of (body.containers ?? []).entries()) {
    const memory = (change.resources ?? change.resource)?.limits?.memory;
    const index = containerIndex(containers, change, position);
    const container = containers[index];
    if (container && memory !== undefined) containers[index] = { ...container, memoryMib: readMemory(memory) };
  }
  return {
    ...definition,
    containers,
    size: body.target_instance_size ?? definition.size,
    domains: body.binding_domain_name ? readDomains(body.binding_domain_name) : definition.domains,
  };
}

/** An item finds its container by name, without one by position. */
function containerIndex(containers: readonly Container[], { name }: ContainerUpdate, position: number): number {
  const index = name === undefined ? position : containers.findIndex((container) => container.name === name);
  if (containers[index]) return index;
  const names = containers.map((container) => container.name).join(", ");
  throw new Refusal(400, `containers[${position}] is no container of this service: it has ${names}`);
}

/** Whether instances have to be started anew to become what the update says. */
export function needsNewInstances(before: ServiceDefinition, after: ServiceDefinition): boolean {
  return after.containers.some((container, index) => container.memoryMib !== before.containers[index]?.memoryMib);
}
