import type { Service } from "../../../workloads/state/service-store.ts";
import type { ServiceDefinition } from "../../../workloads/definitions/service-definition.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import { annotations } from "../names.ts";
import { reachableOf } from "./reach/addresses.ts";
import { containersOf, type PodTemplate } from "./containers.ts";
import type { FoundService } from "./found-service.ts";
import { readRemembered, type Remembered } from "./remembered.ts";
import type { V1Service } from "./reach/v1-services.ts";

type Projection = {
  readonly name: string;
  readonly username: string;
  readonly config: ClusterConfig;
  readonly v1Services: readonly V1Service[];
  readonly domains: readonly string[];
};

/** A Deployment, StatefulSet or DaemonSet with its definition, whoever wrote it. */
export function projectService({ metadata, spec }: FoundService["source"]["object"], projection: Projection): Service {
  const { name, username, config, v1Services, domains } = projection;
  const { template } = spec;
  const remembered = readRemembered(metadata.annotations);
  const { ports, addresses } = reachableOf({ template, v1Services, config, remembered });
  return {
    uid: metadata.uid,
    username,
    region: config.region,
    name,
    createdAt: metadata.creationTimestamp,
    running: spec.replicas > 0 || isIdle(metadata.annotations),
    deleting: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation ?? 0,
    definition: {
      size: sizeOf(spec.replicas, metadata.annotations),
      containers: containersOf(template, remembered),
      ports,
      volumes: volumesOf(template, remembered),
      syncTimezone: remembered?.syncTimezone ?? false,
      domains,
    },
    addresses,
  };
}

/** Asked to have no instances, which is not stopped. */
export function isIdle(of: Readonly<Record<string, string>>): boolean {
  return of[annotations.idle] !== undefined;
}

/** While stopped, the size to which a start returns: 0 where somebody else stopped it, since nobody knows it. */
function sizeOf(replicas: number, of: Readonly<Record<string, string>>): number {
  if (replicas > 0 || isIdle(of)) return replicas;
  const text = of[annotations.size] ?? "";
  return /^[1-9]\d{0,4}$/u.test(text) ? Number(text) : 0;
}

/** Only claims are disks. */
function volumesOf({ spec }: PodTemplate, remembered: Remembered | undefined): ServiceDefinition["volumes"] {
  return spec.volumes.flatMap(({ name: podVolume, persistentVolumeClaim: claim }) => {
    if (!claim) return [];
    const known = remembered?.volumes.find((volume) => volume.podVolume === podVolume);
    const readOnly = claim.readOnly ?? known?.readOnly ?? false;
    const disk = known?.disk?.claim === claim.claimName ? known.disk.name : claim.claimName;
    return [{ name: known?.name ?? podVolume, diskName: disk, readOnly }];
  });
}
