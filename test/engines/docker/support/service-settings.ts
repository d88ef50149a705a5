import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accounts } from "../../../service/contract/served.ts";

/** The environment of `npm run service` on a daemon, as an operator writes it. */
export type ServiceSettings = {
  readonly env: Readonly<Record<string, string>>;
  /** The label of everything that this service makes; there is one once it has started. */
  readonly label: () => string;
  readonly remove: () => void;
};

/** The data folder is in `within`. */
export function serviceSettings(host: string, within: string = tmpdir()): ServiceSettings {
  const folder = mkdtempSync(join(within, "gantry-docker-service-"));
  const { user1, user2 } = accounts;
  return {
    env: {
      SERVICE_ENGINE: "docker",
      DOCKER_HOST: host,
      SERVICE_REGIONS: "us,beijing1",
      SERVICE_USERS: [user1, user2].map(({ username, token }) => `${username}:${token}`).join(","),
      GANTRY_DATA: folder,
      // So that a small machine doesn't refuse what a test or a bench asks for.
      SERVICE_USER_INSTANCES: "1000",
      SERVICE_HOST_INSTANCES: "1000",
      SERVICE_USER_MEMORY_MIB: "1000000",
      SERVICE_HOST_MEMORY_MIB: "1000000",
    },
    label: () => `gantry.owner=${readFileSync(join(folder, "service/docker/docker-owner"), "utf8").trim()}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
