import type { UnitSpec } from "../../../workloads/runtime.ts";
import type { ContainerSpec, DaemonApi } from "../daemon/daemon-client.ts";
import { labelsOf, memoryLabel, volumeName, isNetworkName, networkName, OWNER_LABEL, ownerFilter } from "../names.ts";
import { makeSerialQueue } from "../../../workloads/lifecycle/queues.ts";

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
