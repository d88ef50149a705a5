import type { ServiceDefinition } from "../../../workloads/definitions/service-definition.ts";
import { annotations, labels, MANAGED_BY } from "../names.ts";
import { timeZoneVolume, writeRemembered } from "../read/remembered.ts";
import { claimOf, podVolumeOf } from "./object-names.ts";
import type { PodSettings } from "./pod-security.ts";
import { podContainers, podDefaults, type PodVolume } from "./pod-template.ts";

export type NewDeployment = {
  readonly name: string;
  readonly definition: ServiceDefinition;
  /** Tells the Deployment of this request from one that somebody else made at the same time. */
  readonly request: string;
  readonly settings: PodSettings;
  /** Further annotations. */
  readonly notes?: Readonly<Record<string, string>>;
  /** A disk that only one node can write to at a time: instances are replaced one after the other, never side by side. */
  readonly holdsDisk: boolean;
  /** The value of the annotation `gantry/making`; undefined if nothing but the Deployment has to be made. */
  readonly making: string | undefined;
};

/** A Deployment for a service, without apiVersion and kind. */
export function deploymentManifest(made: NewDeployment): object {
  const { name, definition, settings, holdsDisk } = made;
  return {
    metadata: { name, labels: labelsOf(name), annotations: annotationsOf(made) },
    spec: {
      replicas: definition.size,
      selector: { matchLabels: { [labels.service]: name } },
      strategy: holdsDisk
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: { metadata: { labels: labelsOf(name) }, spec: podSpec(name, definition, settings) },
    },
  };
}

export function labelsOf(service: string): Readonly<Record<string, string>> {
  return { [labels.managedBy]: MANAGED_BY, [labels.name]: service, [labels.service]: service };
}

function annotationsOf({ definition, request, notes, making }: NewDeployment): Readonly<Record<string, string>> {
  const { volumes, ports, syncTimezone, size } = definition;
  const remembered = {
    volumes: volumes.map(({ name, diskName, readOnly }) => ({
      podVolume: podVolumeOf(name),
      name,
      disk: { name: diskName, claim: claimOf(diskName) },
      readOnly,
    })),
    ports: [...ports],
    syncTimezone,
  };
  return {
    [annotations.request]: request,
    ...notes,
    [annotations.remembered]: writeRemembered(remembered),
    ...(size === 0 && { [annotations.idle]: "true" }),
    ...(making !== undefined && { [annotations.making]: making }),
  };
}

function podSpec(name: string, definition: ServiceDefinition, settings: PodSettings): object {
  const { containers, syncTimezone } = definition;
  const timeZone = syncTimezone ? timeZoneVolume(name) : undefined;
  const disks = definition.volumes.map(({ name, diskName, readOnly }): PodVolume => ({
    name: podVolumeOf(name),
    persistentVolumeClaim: { claimName: claimOf(diskName), readOnly },
  }));
  return {
    ...podDefaults(settings),
    containers: podContainers(containers, { timeZone, probed: probedPorts(definition), settings }),
    volumes: [...disks, ...(timeZone ? [timeZone] : [])],
  };
}

/** The first mapped port of each container. One that no container names is taken for the first container's. */
function probedPorts({ containers, ports }: ServiceDefinition): ReadonlyMap<number, number> {
  const probed = new Map<number, number>();
  for (const { containerPort } of ports) {
    const index = Math.max(
      containers.findIndex((container) => container.ports.some(({ port }) => port === containerPort)),
      0,
    );
    if (!probed.has(index)) probed.set(index, containerPort);
  }
  return probed;
}
