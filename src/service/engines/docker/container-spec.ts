import { createHash } from "node:crypto";
import type { UnitLabels, VolumeSource, UnitSpec } from "../../workloads/runtime.ts";
import type { Labels } from "./daemon/daemon-answers.ts";
import type { ContainerSpec, DaemonApi } from "./daemon/daemon-client.ts";
import { makeSerialQueue } from "../../workloads/lifecycle/queues.ts";

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
function memoryLabel(limitMib: number | undefined): Labels {
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

function networkName(owner: string, { username, region }: { username: string; region: string }): string {
  return `gantry-${shortHash(owner, JSON.stringify(["network", username, region]))}`;
}

/** A label alone doesn't make a network Gantry's. */
function isNetworkName(name: string): boolean {
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

/** Enforced for a container without a limit, so that the memory quotas hold. */
const DEFAULT_MIB = 512;

/** The daemons refuse less. A smaller limit is saved and answered as requested, and the log says what is enforced. */
const LEAST_MIB = 6;

const MIB = 1024 * 1024;

export function enforcedMib(limitMib: number | undefined): number {
  return Math.max(limitMib ?? DEFAULT_MIB, LEAST_MIB);
}

export function memoryBytes(limitMib: number | undefined): number {
  return enforcedMib(limitMib) * MIB;
}

/** A line for the log when another memory limit is enforced than the one that was asked for. */
export function memoryCaveat(limitMib: number | undefined): string | undefined {
  if (limitMib === undefined || enforcedMib(limitMib) === limitMib) return undefined;
  return `the memory limit of ${limitMib} MiB is less than a container can have: ${enforcedMib(limitMib)} MiB is enforced`;
}

type Placed = { readonly owner: string; readonly network: string };

/** What the daemon creates for a unit. */
export function containerSpec(spec: UnitSpec, { owner, network }: Placed): ContainerSpec {
  const { definition, volumes, syncTimezone } = spec;
  const zone = syncTimezone ? [`TZ=${Intl.DateTimeFormat().resolvedOptions().timeZone}`] : [];
  return {
    image: definition.image,
    command: definition.command,
    env: [...zone, ...(definition.env ?? []).map(({ name, value }) => `${name}=${value ?? ""}`)],
    labels: { ...labelsOf(owner, spec), ...memoryLabel(definition.memoryMib) },
    memoryBytes: memoryBytes(definition.memoryMib),
    network,
    aliases: aliasesOf(spec),
    ports: spec.ports,
    volumes: definition.mounts.flatMap(({ name, mountPath }) => {
      const volume = volumes.find((each) => each.name === name);
      if (!volume) return [];
      return [{ name: volumeName(owner, volume.source), target: mountPath, readOnly: volume.readOnly }];
    }),
  };
}

/**
 * Names in the user's network: `web` for all instances of a service, `web-0` for one. Further containers of an instance
 * are `web-0-2`, `web-0-3`.
 */
function aliasesOf({ instance, container, run }: UnitSpec): string[] {
  if (container > 0) return [`${instance}-${container + 1}`];
  return run ? [instance] : [instance.replace(/-\d+$/, ""), instance];
}

export type UserNetworks = ReturnType<typeof makeUserNetworks>;

/** Users and regions don't reach each other. */
type NetworkPlace = { readonly username: string; readonly region: string };

type NetworkDaemon = Pick<DaemonApi, "ensureNetwork" | "listNetworks" | "removeNetwork">;

/** The networks of the users' workloads. They are removed when nothing uses them, because a daemon has few. */
export function makeUserNetworks(daemon: NetworkDaemon, owner: string) {
  /** How many starts use each one now. */
  const inUse = new Map<string, number>();
  /** The creation and removal of one network wait for each other. */
  const changes = makeSerialQueue();

  return {
    /** Runs `start` with the name of the network, which exists until `start` settles. */
    async within<T>(place: NetworkPlace, start: (network: string) => Promise<T>): Promise<T> {
      const name = networkName(owner, place);
      inUse.set(name, (inUse.get(name) ?? 0) + 1);
      try {
        await changes.run(name, () => daemon.ensureNetwork(name, { [OWNER_LABEL]: owner }));
        return await start(name);
      } finally {
        const others = (inUse.get(name) ?? 1) - 1;
        if (others > 0) inUse.set(name, others);
        else inUse.delete(name);
      }
    },
    /** Removes the networks without containers. */
    async removeUnused() {
      const names = (await daemon.listNetworks(ownerFilter(owner))).filter(isNetworkName);
      for (const name of names) {
        await changes.run(name, async () => {
          if (!inUse.has(name)) await daemon.removeNetwork(name);
        });
      }
    },
  };
}
