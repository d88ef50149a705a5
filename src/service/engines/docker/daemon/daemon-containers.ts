import type { ContainerSpec, DaemonApi, CommandFailure } from "./daemon-api.ts";
import { type DaemonAsker, type DaemonConnection, askOnce } from "./daemon-connection.ts";
import { DaemonError, isPodmanError } from "./daemon-error.ts";
import { Created, Inspected, inspectedOf, Listed, listedOf } from "./daemon-schemas.ts";

type ContainerCalls = Pick<
  DaemonApi,
  | "listContainers"
  | "inspectContainer"
  | "createContainer"
  | "startContainer"
  | "stopContainer"
  | "unpauseContainer"
  | "removeContainer"
  | "checkHealth"
  | "setMemory"
>;

export function containerCalls(daemon: DaemonConnection, { read, find, post }: DaemonAsker): ContainerCalls {
  return {
    async listContainers(labels) {
      const filters = JSON.stringify({ label: labels });
      return (await read(Listed, "/containers/json", { query: { all: "1", filters } })).map(listedOf);
    },
    async inspectContainer(id) {
      const found = await find(Inspected, `/containers/${id}/json`);
      return found && inspectedOf(found);
    },
    async createContainer(name, spec) {
      try {
        return Created.parse(await post("/containers/create", { query: { name }, body: bodyOf(spec) })).Id;
      } catch (error) {
        throw isPodmanError(error, "that name is already in use") ? new DaemonError(409, error.message) : error;
      }
    },
    async startContainer(id) {
      try {
        await post(`/containers/${id}/start`);
        return undefined;
      } catch (error) {
        const failure = commandFailure(error);
        if (failure) return failure;
        throw error;
      }
    },
    async stopContainer(id, graceSeconds) {
      // It answers once the container has ended.
      const limitMs = (graceSeconds + STOP_SECONDS) * 1_000;
      await post(`/containers/${id}/stop`, { query: { t: String(graceSeconds) }, limitMs, isRepeatable: true }, [404]);
    },
    unpauseContainer: async (id) => void (await post(`/containers/${id}/unpause`)),
    // With the volumes that its image asked for and nobody named: nothing could find them again.
    removeContainer: async (id) =>
      void (await askOnce(
        daemon,
        { method: "DELETE", path: `/containers/${id}`, query: { force: "1", v: "1" } },
        [404, 409],
      )),
    checkHealth: async (id, limitMs) =>
      void (await askOnce(daemon, { method: "GET", path: `/libpod/containers/${id}/healthcheck`, limitMs })),
    setMemory: async (id, bytes) =>
      void (await post(`/containers/${id}/update`, { body: { Memory: bytes, MemorySwap: bytes }, isRepeatable: true })),
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
