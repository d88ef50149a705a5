import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import type { Account } from "./requests.ts";

export const users: readonly [Account, ...Account[]] = [
  { username: "dana", token: "dana-0123456789abcdef" },
  { username: "alex", token: "alex-0123456789abcdef" },
  { username: "robin", token: "robin-0123456789abcdef" },
];
export const regions: readonly [string, ...string[]] = ["us", "beijing1"];
/** How many processes the service may start for all users together. */
export const HOST_INSTANCES = 20;

type Where = { readonly dataDir: string; readonly wrapper?: readonly string[] };

/** It checks each of its answers against the contract: one that breaks it is a 500. */
export function startService({ dataDir, wrapper = [] }: Where): Promise<ServiceProcess> {
  const env = {
    SERVICE_USERS: users.map(({ username, token }) => `${username}:${token}`).join(","),
    SERVICE_REGIONS: regions.join(","),
    SERVICE_HOST_INSTANCES: String(HOST_INSTANCES),
    GANTRY_DATA: dataDir,
  };
  return startServiceProcess(env, wrapper);
}
