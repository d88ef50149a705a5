import { z } from "zod";
import { addressProblem } from "./daemon/daemon-address.ts";
import type { DaemonSettings } from "./daemon/find-daemon.ts";

const portsHostForm =
  "must be one IPv4 address of this machine, like 192.168.1.10 (default: 127.0.0.1): it is the host of every service_url";

/** The variables of the Docker engine; those without SERVICE_ mean what they mean to `docker` and `podman`. */
export const dockerVariables = {
  SERVICE_PORTS_HOST: z
    .ipv4(portsHostForm)
    .refine((host) => host !== "0.0.0.0", portsHostForm)
    .optional(),
  DOCKER_HOST: z.string().optional(),
  DOCKER_TLS_VERIFY: z.string().optional(),
  DOCKER_CERT_PATH: z.string().optional(),
  CONTAINER_HOST: z.string().optional(),
  DOCKER_CONFIG: z.string().optional(),
  REGISTRY_AUTH_FILE: z.string().optional(),
  XDG_RUNTIME_DIR: z.string().optional(),
  XDG_CONFIG_HOME: z.string().optional(),
};

type DockerVariables = { readonly [name in keyof typeof dockerVariables]?: string | undefined };

export function daemonSettingsOf(variables: DockerVariables): DaemonSettings {
  return {
    dockerHost: variables.DOCKER_HOST,
    containerHost: variables.CONTAINER_HOST,
    tls: { isVerified: variables.DOCKER_TLS_VERIFY !== undefined, certPath: variables.DOCKER_CERT_PATH },
    runtimeDir: variables.XDG_RUNTIME_DIR,
  };
}

/** The variables that say where credentials for registries are, see images/credential-files.ts. */
export function credentialVariablesOf(variables: DockerVariables): Readonly<Record<string, string | undefined>> {
  const { DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, XDG_CONFIG_HOME } = variables;
  return { DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, XDG_CONFIG_HOME };
}

/** DOCKER_HOST may be set for `docker` alone, so it is only checked when this engine is chosen. */
export function dockerProblems(given: Readonly<Record<string, string | undefined>>): string[] {
  return (["DOCKER_HOST", "CONTAINER_HOST"] as const).flatMap((variable) => {
    const text = given[variable];
    const problem = text === undefined ? undefined : addressProblem(variable, text);
    return problem === undefined ? [] : [`${variable} ${problem}.`];
  });
}
