import type { Container } from "../definitions/container.ts";
import type { ServiceDefinition } from "../definitions/service-definition.ts";
import type { UnitSpec } from "../runtime.ts";
import type { Service } from "../state/service-store.ts";

/** One container of one instance of a service. */
export type ContainerPlace = {
  readonly service: Service;
  /** The index in the definition. */
  readonly container: number;
  readonly instance: string;
};

/** For log lines. */
export function subject({ service, container, instance }: ContainerPlace): string {
  const { containers } = service.definition;
  return containers.length === 1
    ? `instance ${instance}`
    : `container ${containers[container]?.name} of instance ${instance}`;
}

export function specOf({ service, container, instance }: ContainerPlace): UnitSpec {
  const { uid, username, region, generation, definition } = service;
  const own = definition.containers[container];
  if (!own) throw new Error(`the service ${uid} has no container ${container}`);
  const mounted = definition.volumes.filter(({ name }) => own.mounts.some((mount) => mount.name === name));
  return {
    workload: uid,
    instance,
    container,
    generation,
    username,
    region,
    definition: own,
    volumes: mounted.map(({ name, diskName, readOnly }) => ({
      name,
      readOnly,
      source: { kind: "disk", username, region, name: diskName },
    })),
    ports: portsOf(definition, own),
    syncTimezone: definition.syncTimezone,
  };
}

/** The mapped ports that lead to this container. A port that no container opens leads to the first one. */
function portsOf({ ports, containers }: ServiceDefinition, container: Container): number[] {
  return ports.flatMap(({ containerPort }) => {
    const opener = containers.find((one) => one.ports.some(({ port }) => port === containerPort)) ?? containers[0];
    return opener === container ? [containerPort] : [];
  });
}
