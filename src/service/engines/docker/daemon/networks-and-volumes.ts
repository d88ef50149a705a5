import type { DaemonApi } from "./daemon-api.ts";
import type { DaemonAsker } from "./daemon-asker.ts";
import type { DaemonConnection } from "./daemon-connection.ts";
import { isPodmanError } from "./daemon-error.ts";
import { askOnce } from "./daemon-request.ts";
import { Created, Networks, Volume } from "./daemon-schemas.ts";

const MOST_LOST_RACES = 5;

type Calls = Pick<DaemonApi, "ensureVolume" | "ensureNetwork" | "listNetworks" | "removeNetwork">;

export function networkAndVolumeCalls(daemon: DaemonConnection, { read, find, post }: DaemonAsker): Calls {
  return {
    async ensureVolume(name, labels) {
      if (await find(Volume, `/volumes/${name}`)) return;
      await post("/volumes/create", { body: { Name: name, Labels: labels } });
    },
    async ensureNetwork(name, labels) {
      for (let lost = 0; ; lost += 1) {
        if (await find(Created, `/networks/${name}`)) return;
        try {
          await post("/networks/create", { body: { Name: name, Labels: labels, CheckDuplicate: true } }, [409]);
          return;
        } catch (error) {
          // Podman looks for a free subnet among the host's interfaces, and fails if one of them vanishes meanwhile.
          if (lost >= MOST_LOST_RACES || !isPodmanError(error, "no such network interface")) throw error;
        }
      }
    },
    async listNetworks(label) {
      const filters = JSON.stringify({ label: [label] });
      return (await read(Networks, "/networks", { filters })).map(({ Name }) => Name);
    },
    async removeNetwork(name) {
      try {
        await askOnce(daemon, { method: "DELETE", path: `/networks/${name}` }, [404, 403, 409]);
      } catch (error) {
        if (!isPodmanError(error, "network is being used")) throw error;
      }
    },
  };
}
