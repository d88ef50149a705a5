import { createHash } from "node:crypto";
import type { UnitLabels, VolumeSource } from "../../workloads/runtime.ts";
import type { Labels } from "./daemon/daemon-schemas.ts";

/** The label of everything that this data folder's engine made; its value is the folder's id. */
export const OWNER_LABEL = "gantry.owner";

const WORKLOAD = "gantry.workload";
const INSTANCE = "gantry.instance";
const CONTAINER = "gantry.container";
const GENERATION = "gantry.generation";
const MEMORY = "gantry.memory";

export function ownerFilter(owner: string): string {
  return `${OWNER_LABEL}=${owner}`;
}

export function workloadFilter(workload: string): string {
  return `${WORKLOAD}=${workload}`;
}

export function labelsOf(owner: string, unit: UnitLabels): Labels {
  return {
    [OWNER_LABEL]: owner,
    [WORKLOAD]: unit.workload,
    [INSTANCE]: unit.instance,
    [CONTAINER]: String(unit.container),
    [GENERATION]: String(unit.generation),
  };
}

/** Undefined for labels that this engine didn't write. */
export function unitOf(labels: Labels): UnitLabels | undefined {
  const { [WORKLOAD]: workload, [INSTANCE]: instance } = labels;
  const container = Number(labels[CONTAINER] ?? "none");
  const generation = Number(labels[GENERATION] ?? "none");
  if (workload === undefined || instance === undefined) return undefined;
  if (!Number.isInteger(container) || !Number.isInteger(generation)) return undefined;
  return { workload, instance, container, generation };
}

/** The memory limit that was asked for: another one may be enforced. */
export function memoryLabel(limitMib: number | undefined): Labels {
  return limitMib === undefined ? {} : { [MEMORY]: String(limitMib) };
}

export function askedMib({ [MEMORY]: asked }: Labels): number | undefined {
  return asked === undefined ? undefined : Number(asked);
}

/** For the machine's administrator: the name of a volume is only a hash. */
export function volumeLabels(owner: string, source: VolumeSource): Labels {
  return { [OWNER_LABEL]: owner, "gantry.user": source.username, [`gantry.${source.kind}`]: source.name };
}

/**
 * A unit's container has one possible name, so the daemon itself refuses to have it twice: `gantry-web-0.0-g3-1a2b3c4d`.
 */
export function containerName(owner: string, { workload, instance, container, generation }: UnitLabels): string {
  return `gantry-${instance}.${container}-g${generation}-${shortHash(owner, workload)}`;
}

export function networkName(owner: string, { username, region }: { username: string; region: string }): string {
  return `gantry-${shortHash(owner, JSON.stringify(["network", username, region]))}`;
}

/** A label alone doesn't make a network Gantry's. */
export function isNetworkName(name: string): boolean {
  return /^gantry-[0-9a-f]{12}$/u.test(name);
}

export function volumeName(owner: string, source: VolumeSource): string {
  const { kind, username, name } = source;
  return `gantry-${kind}-${shortHash(owner, JSON.stringify([kind, username, kind === "disk" ? source.region : "", name]))}`;
}

/** Names of users and disks may hold what the daemon's names can't. */
function shortHash(owner: string, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([owner, text]))
    .digest("hex")
    .slice(0, 12);
}
