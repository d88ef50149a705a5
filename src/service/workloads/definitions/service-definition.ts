import { firstDuplicate } from "../../../api/request-limits.ts";
import type { ContainerUpdate, NewService, ServiceUpdate } from "../../../api/schema.ts";
import { Refusal } from "../../engine.ts";
import type { Runtime } from "../runtime.ts";
import { readContainers, readMemory, type Container } from "./container.ts";

/** A port of the service that is reachable from outside. Its address is assigned and no part of the definition. */
export type PortMapping = { readonly containerPort: number; readonly protocol: string };

/** The specification of a service: only values that its user chose, and defaults for them. */
export type ServiceDefinition = {
  readonly size: number;
  readonly containers: readonly Container[];
  readonly ports: readonly PortMapping[];
  readonly volumes: readonly { readonly name: string; readonly diskName: string; readonly readOnly: boolean }[];
  readonly syncTimezone: boolean;
  readonly domains: readonly string[];
};

/**
 * Reads a creation body that passed `checkedBody`. Throws a `Refusal` 400 for a container that the runtime can't run.
 */
export function readService(name: string, body: NewService, check: Runtime["check"]): ServiceDefinition {
  return {
    size: body.target_instance_size ?? 1,
    containers: readContainers(body.containers, { check, workload: name }),
    ports: (body.port_mappings ?? []).map(({ container_port: containerPort }) => ({ containerPort, protocol: "tcp" })),
    volumes: (body.volumes ?? []).map((volume) => ({
      name: volume.name,
      diskName: volume.disk_name,
      readOnly: volume.is_read_only ?? false,
    })),
    syncTimezone: body.sync_timezone ?? false,
    domains: body.binding_domain_name ?? [],
  };
}

/** Applies a partial update; fields that the body leaves out stay. Throws a `Refusal` 400. */
export function updated(definition: ServiceDefinition, body: ServiceUpdate): ServiceDefinition {
  const containers = [...definition.containers];
  const changed: number[] = [];
  for (const [position, change] of (body.containers ?? []).entries()) {
    const memory = (change.resources ?? change.resource)?.limits?.memory;
    const index = containerIndex(containers, change, position);
    const container = containers[index];
    if (!container || memory === undefined) continue;
    containers[index] = { ...container, memoryMib: readMemory(memory) };
    changed.push(index);
  }
  const duplicate = firstDuplicate(changed);
  if (duplicate !== undefined) {
    throw new Refusal(400, `containers has ${containers[duplicate]?.name} twice: send each container once`);
  }
  return {
    ...definition,
    containers,
    size: body.target_instance_size ?? definition.size,
    domains: body.binding_domain_name ?? definition.domains,
  };
}

/** An item refers to its container by name, or by position if it has no name. */
function containerIndex(containers: readonly Container[], { name }: ContainerUpdate, position: number): number {
  const index = name === undefined ? position : containers.findIndex((container) => container.name === name);
  if (containers[index]) return index;
  const names = containers.map((container) => container.name).join(", ");
  throw new Refusal(400, `containers[${position}] isn't a container of this service: it has ${names}`);
}

/** Two instances that write to the same disk at the same time could damage what is on it. */
export function writesToDisks({ containers, volumes }: ServiceDefinition): boolean {
  const writable = volumes.filter(({ readOnly }) => !readOnly);
  return containers.some(({ mounts }) => mounts.some((mount) => writable.some(({ name }) => name === mount.name)));
}

/** Running instances must be resized or replaced for such an update to take effect. */
export function hasOtherMemory(before: ServiceDefinition, after: ServiceDefinition): boolean {
  return after.containers.some((container, index) => container.memoryMib !== before.containers[index]?.memoryMib);
}
