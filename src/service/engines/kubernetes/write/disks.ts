import { incapable } from "../../../capabilities.ts";
import type { ServiceDefinition } from "../../../workloads/definitions/service-definition.ts";
import { TITLE } from "../limits.ts";
import { claimOf } from "./object-names.ts";
import { reading, type Target } from "./target.ts";

export type Disks = {
  /** Claims that have to be made. */
  readonly missing: readonly string[];
  /** Whether one of them can be written to by one node only. */
  readonly holdsDisk: boolean;
};

/** Reads which disks exist. Throws a `Refusal` 400 for disks that this region can't give. */
export async function disksFor(target: Target, { volumes, size }: ServiceDefinition): Promise<Disks> {
  if (volumes.length === 0) return { missing: [], holdsDisk: false };
  const { region, reading: place, name, signal } = target;
  const of = { kind: "PersistentVolumeClaim", namespace: place.namespace } as const;
  const { items } = await reading(`create the service ${name}`, () => region.api.list(of, {}, signal));
  const claims = new Map(items.map((claim) => [claim.metadata.name, claim]));
  const missing = volumes.findIndex(({ diskName }) => !claims.has(claimOf(diskName)));
  const where = { title: TITLE, region: region.config.region };
  if (missing >= 0 && !region.config.disks) {
    const why = `there is no claim ${claimOf(volumes[missing]?.diskName ?? "")}, and the region has no storage class for new disks`;
    throw incapable({ feature: "disks", why }, { ...where, place: `volumes[${missing}].disk_name` });
  }
  const isShared = (disk: string) => claims.get(claimOf(disk))?.spec.accessModes.includes("ReadWriteMany") ?? false;
  const holdsDisk = volumes.some(({ diskName, readOnly }) => !readOnly && !isShared(diskName));
  if (holdsDisk && size > 1) throw oneInstance(region.config.region);
  const names = new Set(volumes.map(({ diskName }) => claimOf(diskName)));
  return { missing: [...names].filter((claim) => !claims.has(claim)), holdsDisk };
}

/** A disk of one node: several instances would write to it side by side, or wait for each other forever. */
export function oneInstance(region: string) {
  return incapable(
    { feature: "sharedDisks", why: "only one instance can write to its disk: use 1 instance, or a read-only disk" },
    { title: TITLE, region, place: "target_instance_size" },
  );
}
