import { incapable, Refusal } from "../../../engine.ts";
import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { TITLE } from "../cluster/cluster-config.ts";
import { annotations, labels, MANAGED_BY, claimOf } from "../names.ts";
import type { Region } from "../regions.ts";
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
  const { region, namespace, name, signal } = target;
  const of = { kind: "PersistentVolumeClaim", namespace } as const;
  const { items } = await reading(`create the service ${name}`, () => region.api.list(of, {}, signal));
  const claims = new Map(items.map((claim) => [claim.metadata.name, claim]));
  const missing = volumes.findIndex(({ diskName }) => !claims.has(claimOf(diskName)));
  const where = { title: TITLE, region: region.config.region };
  if (missing >= 0 && !region.config.disks) {
    const why = `there is no claim ${claimOf(volumes[missing]?.diskName ?? "")}, and the region has no storage class for new disks`;
    throw incapable({ feature: "disks", why }, { ...where, place: `volumes[${missing}].disk_name` });
  }
  for (const { diskName } of volumes) {
    const claim = claims.get(claimOf(diskName));
    if (claim) refuseOthersClaim(region, claim);
  }
  const isShared = (disk: string) => claims.get(claimOf(disk))?.spec.accessModes.includes("ReadWriteMany") ?? false;
  const holdsDisk = volumes.some(({ diskName, readOnly }) => !readOnly && !isShared(diskName));
  if (holdsDisk && size > 1) throw oneInstance(region.config.region);
  const names = new Set(volumes.map(({ diskName }) => claimOf(diskName)));
  return { missing: [...names].filter((claim) => !claims.has(claim)), holdsDisk };
}

/**
 * Refuses a claim that isn't Gantry's: a service would mount the data of whatever else uses it. A label alone isn't
 * enough, because tools copy labels.
 */
export function refuseOthersClaim(
  { config }: Pick<Region, "config">,
  { metadata }: KubeObject<"PersistentVolumeClaim">,
): void {
  const { name } = metadata;
  const isGantrys = metadata.labels[labels.managedBy] === MANAGED_BY && annotations.madeFor in metadata.annotations;
  if (isGantrys || config.claims?.includes(name) === true) return;
  throw new Refusal(
    403,
    `the claim ${name} wasn't made by Gantry, so a service may not use it. Nothing was changed. Choose another ` +
      `disk_name, or have the operator add ${name} to disks.claims of the region ${config.region} in SERVICE_CLUSTERS.`,
  );
}

/** A disk of one node: several instances would write to it side by side, or wait for each other forever. */
export function oneInstance(region: string) {
  return incapable(
    { feature: "sharedDisks", why: "only one instance can write to its disk: use 1 instance, or a read-only disk" },
    { title: TITLE, region, place: "target_instance_size" },
  );
}
