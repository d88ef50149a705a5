import type { DaemonConnection } from "./daemon-connection.ts";
import { DaemonError, isPodmanError } from "./daemon-error.ts";
import { Created, InspectedContainer, type Labels, ListedContainer } from "./daemon-schemas.ts";

/** What a container is created from. There is deliberately no field for host paths, privileges or host networks. */
export type ContainerSpec = {
  readonly image: string;
  readonly command: readonly string[] | undefined;
  readonly env: readonly string[];
  readonly labels: Labels;
  readonly memoryBytes: number | undefined;
  readonly network: string;
  /** Names by which other containers of the network find it. */
  readonly aliases: readonly string[];
  /** Container ports to publish on a free port of 127.0.0.1. */
  readonly ports: readonly number[];
  readonly volumes: readonly { readonly name: string; readonly target: string; readonly readOnly: boolean }[];
};

/** The exit code is what a shell has for it: 127 for a command that isn't there, 126 for one that can't be executed. */
export type CommandFailure = { readonly exitCode: 126 | 127; readonly message: string };

export function containerCalls({ ask, read, find }: DaemonConnection) {
  return {
    /** All containers with these labels, also those that don't run. */
    async listContainers(labels: readonly string[]): Promise<readonly ListedContainer[]> {
      const filters = JSON.stringify({ label: labels });
      return await read(ListedContainer.array(), { path: "/containers/json", query: { all: "1", filters } });
    },
    /** Undefined when there is none. */
    inspectContainer: async (id: string) => await find(InspectedContainer, `/containers/${id}/json`),
    /** Resolves to the id. A taken name is a `DaemonError` 409, a missing image one 404. */
    async createContainer(name: string, spec: ContainerSpec): Promise<string> {
      const call = { method: "POST", path: "/containers/create", query: { name }, body: bodyOf(spec) } as const;
      try {
        return (await read(Created, call)).Id;
      } catch (error) {
        throw isPodmanError(error, "that name is already in use") ? new DaemonError(409, error.message) : error;
      }
    },
    /** Resolves to why the daemon couldn't run the command; rejects when anything else failed. */
    async startContainer(id: string): Promise<CommandFailure | undefined> {
      try {
        await ask({ method: "POST", path: `/containers/${id}/start` });
        return undefined;
      } catch (error) {
        const failure = commandFailure(error);
        if (failure) return failure;
        throw error;
      }
    },
    /** SIGTERM, and SIGKILL after the grace time; resolves when it has ended, or isn't there. */
    async stopContainer(id: string, graceSeconds: number): Promise<void> {
      const query = { t: String(graceSeconds) };
      // It answers once the container has ended.
      const limitMs = (graceSeconds + STOP_SECONDS) * 1_000;
      await ask({ method: "POST", path: `/containers/${id}/stop`, query, limitMs, isRepeatable: true }, [404]);
    },
    async unpauseContainer(id: string): Promise<void> {
      await ask({ method: "POST", path: `/containers/${id}/unpause` });
    },
    /** Also one that runs, with the volumes that its image asked for and nobody named. Resolves when it isn't there. */
    async removeContainer(id: string): Promise<void> {
      await ask({ method: "DELETE", path: `/containers/${id}`, query: { force: "1", v: "1" } }, [404, 409]);
    },
    /**
     * Runs the health check of a container now, and resolves when it is over. Only for Podman, which leaves that to systemd
     * and runs none on a machine without it.
     */
    async checkHealth(id: string, limitMs: number): Promise<void> {
      await ask({ path: `/libpod/containers/${id}/healthcheck`, limitMs });
    },
    /** Rejects where the daemon can't do it, or when more is in use. */
    async setMemory(id: string, bytes: number): Promise<void> {
      const body = { Memory: bytes, MemorySwap: bytes };
      await ask({ method: "POST", path: `/containers/${id}/update`, body, isRepeatable: true });
    },
  };
}

/** For the kill after the grace time, on a machine under load. */
const STOP_SECONDS = 60;

/** Enough for any server, and too few to bring the machine down. */
const MOST_PROCESSES = 4096;

/** A container gets nothing from the host except its own network, its volumes and ports published on 127.0.0.1. */
function bodyOf(spec: ContainerSpec): object {
  const { image, command, env, labels, memoryBytes, network, aliases, ports, volumes } = spec;
  return {
    Image: image,
    // As in Kubernetes, a command replaces the image's entrypoint, too.
    ...(command && { Entrypoint: command, Cmd: [] }),
    Env: env,
    Labels: labels,
    ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
    HostConfig: {
      NetworkMode: network,
      RestartPolicy: { Name: "no" },
      LogConfig: LOG_CONFIG,
      PidsLimit: MOST_PROCESSES,
      SecurityOpt: ["no-new-privileges"],
      PortBindings: Object.fromEntries(ports.map((port) => [`${port}/tcp`, [{ HostIp: "127.0.0.1", HostPort: "" }]])),
      Mounts: volumes.map(({ name, target, readOnly }) => ({
        Type: "volume",
        Source: name,
        Target: target,
        ReadOnly: readOnly,
      })),
      ...(memoryBytes !== undefined && { Memory: memoryBytes, MemorySwap: memoryBytes }),
    },
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: aliases } } },
  };
}

/**
 * Where the daemon keeps the output until Gantry stored it, whatever the machine's default is: in files of limited size
 * (Podman keeps one). The daemon deletes the oldest without waiting for a reader.
 */
export const LOG_CONFIG = { Type: "json-file", Config: { "max-size": "50m", "max-file": "2" } };

/**
 * What the daemons say about a command that can't run: `exec: "/app": stat /app: no such file or directory`, after the
 * names of everything that was involved.
 */
const COMMAND = /\bexec: "[^"]*": .*?(?=: unknown$|: OCI |$)|executable file .* not found.*?(?=: OCI |$)/u;

function commandFailure(error: unknown): CommandFailure | undefined {
  if (!(error instanceof DaemonError) || error.status === undefined) return undefined;
  const [message] = COMMAND.exec(error.message) ?? [];
  if (message === undefined) return undefined;
  return { exitCode: message.includes("permission denied") ? 126 : 127, message };
}
