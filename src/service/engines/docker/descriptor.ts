import { z } from "zod";
import { describeEngine } from "../../engine-descriptor.ts";
import { quotasOf, quotaVariables } from "../../workloads/quota.ts";
import type { Limit } from "../../engine.ts";

const portsHostForm =
  "must be one IPv4 address of this machine, like 192.168.1.10 (default: 127.0.0.1): it is the host of every service_url";

/** A variable that means to Gantry what it means to `docker` and `podman`. */
const shared = (unset: string, meaning: string) => ({ schema: z.string(), unset, meaning });

export const dockerEngine = describeEngine({
  name: "docker",
  title: "Docker",
  runs: "containers of Docker or Podman, see [Docker](docker.md)",
  variables: {
    ...quotaVariables,
    SERVICE_PORTS_HOST: {
      schema: z.ipv4(portsHostForm).refine((host) => host !== "0.0.0.0", portsHostForm),
      unset: "127.0.0.1",
      meaning: "The address of this machine that port mappings get on Docker and Podman.",
      elsewhere: "It is the address of port mappings on Docker and Podman.",
    },
    DOCKER_HOST: shared(
      "the usual sockets",
      "The daemon of `SERVICE_ENGINE=docker`: see [Docker](docker.md#which-daemon).",
    ),
    DOCKER_TLS_VERIFY: shared("", "Any value: `DOCKER_HOST=tcp://…` speaks TLS."),
    DOCKER_CERT_PATH: shared("~/.docker", "The folder of `ca.pem`, `cert.pem` and `key.pem` for TLS."),
    CONTAINER_HOST: shared("the usual sockets", "Podman's `DOCKER_HOST`; used when that isn't set."),
    DOCKER_CONFIG: shared("~/.docker", "The folder of `config.json`, with the credentials for registries."),
    REGISTRY_AUTH_FILE: shared("Podman's usual files", "Podman's file of credentials for registries."),
    XDG_RUNTIME_DIR: shared(
      "/run/user/UID",
      "The folder of the sockets of rootless daemons, and of Podman's credentials.",
    ),
    XDG_CONFIG_HOME: shared("~/.config", "The folder of Podman's other file of credentials."),
  },
  variablesTitle: "Docker and Podman",
  // A machine with Docker is one place, and this is the region in which jobs run.
  regions: { from: "settings", byDefault: ["us"] },
  isTrial: false,
  says: {
    running: "a workload API that runs real containers on this machine.",
    afterStop: "Containers run on.",
    place: "Docker",
    withSimulatedSlack:
      "WARNING: Slack is simulated, but containers are real. Commands in the playground start and remove them.",
  },
  setup: {
    label: "Docker or Podman on this machine",
    options: { "docker-host": { variable: "DOCKER_HOST", value: "ADDRESS" } },
  },
  docs: {
    page: "docs/docker.md",
    limits() {
      const limits = dockerLimits({ isLocal: true, limitsMemory: true });
      return { bare: limits, full: limits };
    },
  },
  /** DOCKER_HOST may be set for `docker` alone, so it is only checked when this engine is chosen. */
  problems: (given) =>
    (["DOCKER_HOST", "CONTAINER_HOST"] as const).flatMap((variable) => {
      const text = given[variable];
      const problem = text === undefined ? undefined : addressProblem(variable, text);
      return problem === undefined ? [] : [`${variable} ${problem}.`];
    }),
  settings: (values, regions) => ({
    regions,
    quotas: quotasOf(values),
    daemon: {
      dockerHost: values.DOCKER_HOST,
      containerHost: values.CONTAINER_HOST,
      tls: { isVerified: values.DOCKER_TLS_VERIFY !== undefined, certPath: values.DOCKER_CERT_PATH },
      runtimeDir: values.XDG_RUNTIME_DIR,
    },
    /** The variables that say where credentials for registries are. */
    credentials: {
      DOCKER_CONFIG: values.DOCKER_CONFIG,
      REGISTRY_AUTH_FILE: values.REGISTRY_AUTH_FILE,
      XDG_RUNTIME_DIR: values.XDG_RUNTIME_DIR,
      XDG_CONFIG_HOME: values.XDG_CONFIG_HOME,
    },
    portsHost: values.SERVICE_PORTS_HOST ?? "127.0.0.1",
  }),
  async open(settings, parts) {
    const { startDocker } = await import("./docker-engine.ts");
    return await startDocker(settings, parts);
  },
});

type AddressVariable = "DOCKER_HOST" | "CONTAINER_HOST";

/** Why the variable's value is no address that Gantry can use; undefined for one that is. Completes its name. */
export function addressProblem(variable: AddressVariable, text: string): string | undefined {
  if (/^(?:unix|tcp):\/\/[^/]|^unix:\/\/\/./u.test(text)) return URL.canParse(text) ? undefined : FORM;
  if (text.startsWith("ssh:")) {
    return `is an address of ssh, which Gantry doesn't speak. Run Gantry's workload API on that machine, or unset ${variable}`;
  }
  return FORM;
}

const FORM = "must be an address like unix:///var/run/docker.sock or tcp://127.0.0.1:2375";

/** For people, also in refusals. */
export const titles = { docker: "Docker", podman: "Podman" } as const;

type Daemon = {
  /** Whether it runs on this machine. */
  readonly isLocal: boolean;
  readonly limitsMemory: boolean;
};

/** What Docker and Podman can't honour. */
export function dockerLimits({ isLocal, limitsMemory }: Daemon): readonly Limit[] {
  return [
    limitsMemory
      ? { feature: "memory", effect: "partly", why: DEFAULT_MEMORY }
      : { feature: "memory", effect: "kept", why: NO_MEMORY },
    { feature: "localhost", effect: "partly", why: BY_NAME },
    isLocal
      ? { feature: "ports", effect: "partly", why: THIS_MACHINE }
      : { feature: "ports", effect: "refused", why: OTHER_MACHINE },
    {
      feature: "domains",
      effect: "refused",
      why: "nothing routes domains here: point your own proxy at a port mapping",
    },
    {
      feature: "timezone",
      effect: "partly",
      why: "a container gets the variable TZ; its image must have the time zones",
    },
  ];
}

const DEFAULT_MEMORY = "a container gets at least 6 MiB, and 512 MiB without a limit, so that the quotas hold";
const NO_MEMORY = "this daemon can't limit memory: its user needs the cgroup controller for memory";
const BY_NAME = "the second container of web-0 is web-0-2 in its network, not localhost";
const THIS_MACHINE = "a port mapping gets an address of this machine, which answers while the workload API runs";
const OTHER_MACHINE = "the daemon publishes ports on 127.0.0.1 of another machine: run the workload API there";
