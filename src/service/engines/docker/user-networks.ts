import { makeSerialQueue } from "../../workloads/lifecycle/queues.ts";
import type { DaemonApi } from "./daemon/daemon-client.ts";
import { isNetworkName, networkName, OWNER_LABEL, ownerFilter } from "./names.ts";

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
