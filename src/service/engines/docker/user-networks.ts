import { makeSerialQueue } from "../../workloads/lifecycle/queues.ts";
import type { DaemonApi } from "./daemon/daemon-client.ts";
import { isNetworkName, networkName, OWNER_LABEL, ownerFilter } from "./names.ts";

/** The networks of the users' workloads. They are removed when nothing uses them, because a daemon has few. */
export type UserNetworks = {
  /** Runs `start` with the name of the network, which exists until `start` settles. */
  readonly within: <T>(place: NetworkPlace, start: (network: string) => Promise<T>) => Promise<T>;
  /** Removes the networks without containers. */
  readonly removeUnused: () => Promise<void>;
};

/** Users and regions don't reach each other. */
type NetworkPlace = { readonly username: string; readonly region: string };

type NetworkDaemon = Pick<DaemonApi, "ensureNetwork" | "listNetworks" | "removeNetwork">;

export function makeUserNetworks(daemon: NetworkDaemon, owner: string): UserNetworks {
  /** How many starts use each one now. */
  const inUse = new Map<string, number>();
  /** The creation and removal of one network wait for each other. */
  const changes = makeSerialQueue();

  return {
    async within(place, start) {
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
