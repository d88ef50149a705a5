import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Clock } from "../../../../platform/clock.ts";
import { type DaemonAddress, connectTo, type DaemonConnection } from "./daemon-connection.ts";
import {
  DaemonError,
  isLost,
  isPodmanError,
  About,
  Created,
  Event,
  Image,
  type Labels,
  Line,
  Networks,
  Version,
  Volume,
  InspectedContainer,
  ListedContainer,
} from "./daemon-answers.ts";

const PING_MS = 10_000;

/** The calls of Docker's API that the engine makes; Podman answers the same ones. Each rejects with a `DaemonError`. */
export type DaemonApi = ReturnType<typeof daemonAt>;

export type DaemonAbout = Awaited<ReturnType<DaemonApi["about"]>>;

type LogQuery = {
  /** In whole seconds since 1970. */
  readonly since: number;
  /** Goes on with new entries until the container ends. */
  readonly follow: boolean;
  /** Only so many of the newest entries. */
  readonly tail?: number;
  readonly signal: AbortSignal;
};

type PullOptions = { readonly auth: string | undefined; readonly signal: AbortSignal };

/** The daemon's API over HTTP on its socket. */
export function daemonAt(address: DaemonAddress, clock: Pick<Clock, "limit">) {
  const connection = connectTo(address, clock);
  const { ask, read, find, stream } = connection;
  return {
    async about(limitMs?: number) {
      const [version, info] = await Promise.all([
        read(Version, { path: "/version", limitMs }),
        read(About, { path: "/info", limitMs }),
      ]);
      const isPodman = version.Components?.some(({ Name }) => Name.startsWith("Podman")) ?? false;
      return { ...info, kind: isPodman ? ("podman" as const) : ("docker" as const), version: version.Version };
    },
    /** Resolves when it answers at all. */
    ping: async (): Promise<void> => void (await ask({ path: "/_ping", limitMs: PING_MS })),
    ...containerCalls(connection),
    /** Standard output and error in frames, as the daemon sends them. Each entry begins with its time. */
    async readLogs(id: string, { since, follow, tail, signal }: LogQuery): Promise<Readable> {
      const range = { since: String(since), tail: String(tail ?? "all"), follow: follow ? "1" : "0" };
      const query = { ...range, stdout: "1", stderr: "1", timestamps: "1" };
      return await stream({ path: `/containers/${id}/logs`, query, signal });
    },
    /** Resolves once the daemon tells events of containers with this label, until the signal aborts or the daemon ends it. */
    async events(label: string, signal: AbortSignal): Promise<AsyncIterable<Event>> {
      const filters = JSON.stringify({ type: ["container"], label: [label] });
      return valuesIn(Event, await stream({ path: "/events", query: { filters }, signal }));
    },
    /** Undefined when the daemon doesn't have it. */
    inspectImage: async (image: string) => await find(Image, `/images/${encodeURIComponent(image)}/json`),
    /** Yields each line of the answer; one with `error` says why the pull failed, inside an answer with status 200. */
    async *pullImage(image: string, { auth, signal }: PullOptions): AsyncGenerator<Line> {
      const headers = auth === undefined ? {} : { "x-registry-auth": auth };
      const query = { fromImage: image };
      const call = { method: "POST", path: "/images/create", query, headers, signal, isRepeatable: true } as const;
      yield* valuesIn(Line, await stream(call));
    },
    /** Does nothing when it exists. */
    async ensureVolume(name: string, labels: Labels): Promise<void> {
      if (await find(Volume, `/volumes/${name}`)) return;
      await ask({ method: "POST", path: "/volumes/create", body: { Name: name, Labels: labels }, isRepeatable: true });
    },
    ensureNetwork: (name: string, labels: Labels) => ensureNetwork(name, labels, connection),
    /** Names of the networks with this label. */
    async listNetworks(label: string): Promise<readonly string[]> {
      const filters = JSON.stringify({ label: [label] });
      return (await read(Networks, { path: "/networks", query: { filters } })).map(({ Name }) => Name);
    },
    /** Does nothing while it has containers, or when there is none. */
    async removeNetwork(name: string): Promise<void> {
      try {
        await ask({ method: "DELETE", path: `/networks/${name}` }, [404, 403, 409]);
      } catch (error) {
        if (!isPodmanError(error, "network is being used")) throw error;
      }
    },
  };
}

/** The values of an answer with one on each line. A reader that leaves ends the call. */
async function* valuesIn<T>(schema: { readonly parse: (value: unknown) => T }, stream: Readable): AsyncGenerator<T> {
  // It passes on the stream's errors, also when its reader has left: nobody else listens then, and this process would crash.
  const lines = createInterface({ input: stream }).on("error", () => undefined);
  try {
    for await (const line of lines) {
      if (line.trim() !== "") yield schema.parse(JSON.parse(line));
    }
  } catch (error) {
    throw new DaemonError(undefined, "its answer broke off", { cause: error });
  } finally {
    stream.destroy();
  }
}

const MOST_LOST_RACES = 5;

/** Does nothing when it exists. */
async function ensureNetwork(name: string, labels: Labels, { ask, find }: DaemonConnection): Promise<void> {
  const body = { Name: name, Labels: labels, CheckDuplicate: true };
  for (let lost = 0; ; lost += 1) {
    if (await find(Created, `/networks/${name}`)) return;
    try {
      await ask({ method: "POST", path: "/networks/create", body }, [409]);
      return;
    } catch (error) {
      // Podman looks for a free subnet among the host's interfaces, and fails if one of them vanishes meanwhile.
      const isRace = isPodmanError(error, "no such network interface");
      // Without an answer, it may be there.
      if (lost >= MOST_LOST_RACES || !(isRace || isLost(error))) throw error;
    }
  }
}

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
