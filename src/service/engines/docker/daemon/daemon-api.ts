import type { Readable } from "node:stream";
import type { Health } from "../../../workloads/runtime.ts";

/** The calls of Docker's API that the engine makes; Podman answers the same ones. Each rejects with a `DaemonError`. */
export type DaemonApi = {
  /** Within the limit of a read, if none is given. */
  readonly about: (limitMs?: number) => Promise<DaemonAbout>;
  /** Resolves when it answers at all. */
  readonly ping: () => Promise<void>;
  /** All containers with these labels, also those that don't run. */
  readonly listContainers: (labels: readonly string[]) => Promise<readonly ListedContainer[]>;
  /** Undefined when there is none. */
  readonly inspectContainer: (id: string) => Promise<InspectedContainer | undefined>;
  /** Resolves to the id. A taken name is a `DaemonError` 409, a missing image one 404. */
  readonly createContainer: (name: string, spec: ContainerSpec) => Promise<string>;
  /** Resolves to why the daemon couldn't run the command; rejects when anything else failed. */
  readonly startContainer: (id: string) => Promise<CommandFailure | undefined>;
  /** SIGTERM, and SIGKILL after the grace time; resolves when it has ended, or isn't there. */
  readonly stopContainer: (id: string, graceSeconds: number) => Promise<void>;
  readonly unpauseContainer: (id: string) => Promise<void>;
  /** Also one that runs. Resolves when it isn't there. */
  readonly removeContainer: (id: string) => Promise<void>;
  /**
   * Runs the health check of a container now, and resolves when it is over. Only for Podman, which leaves that to systemd
   * and runs none on a machine without it.
   */
  readonly checkHealth: (id: string, limitMs: number) => Promise<void>;
  /** Rejects where the daemon can't do it, or when more is in use. */
  readonly setMemory: (id: string, bytes: number) => Promise<void>;
  /**
   * Standard output and error as the daemon sends them: in frames, unless the container has a terminal. Each entry begins
   * with its time.
   */
  readonly readLogs: (id: string, what: LogQuery) => Promise<Readable>;
  /** Resolves once the daemon tells events of containers with this label, until the signal aborts or the daemon ends it. */
  readonly events: (label: string, signal: AbortSignal) => Promise<AsyncIterable<DaemonEvent>>;
  /** Undefined when the daemon doesn't have it. */
  readonly inspectImage: (image: string) => Promise<InspectedImage | undefined>;
  /** Yields each line of the answer; one with `error` says why the pull failed, inside an answer with status 200. */
  readonly pullImage: (image: string, pull: PullOptions) => AsyncIterable<PullLine>;
  /** Does nothing when it exists. */
  readonly ensureVolume: (name: string, labels: Labels) => Promise<void>;
  /** Does nothing when it exists. */
  readonly ensureNetwork: (name: string, labels: Labels) => Promise<void>;
  /** Names of the networks with this label. */
  readonly listNetworks: (label: string) => Promise<readonly string[]>;
  /** Does nothing while it has containers, or when there is none. */
  readonly removeNetwork: (name: string) => Promise<void>;
};

export type Labels = Readonly<Record<string, string>>;

export type DaemonAbout = {
  readonly kind: "docker" | "podman";
  /** `20.10.24` */
  readonly version: string;
  readonly memoryMib: number;
  /** Whether it enforces memory limits; not every rootless one can. */
  readonly limitsMemory: boolean;
  /** Where it keeps images, containers and their logs, on its own machine. */
  readonly dataFolder: string | undefined;
  readonly isRootless: boolean;
};

/** The exit code is what a shell has for it: 127 for a command that isn't there, 126 for one that can't be executed. */
export type CommandFailure = { readonly exitCode: 126 | 127; readonly message: string };

export type ListedContainer = Pick<InspectedContainer, "id" | "name" | "labels" | "state" | "isPaused">;

export type InspectedContainer = {
  readonly id: string;
  readonly name: string;
  /** As it was named at the creation, and the id of what that was then. */
  readonly image: { readonly name: string; readonly id: string };
  readonly labels: Labels;
  readonly state: "created" | "running" | "ended";
  readonly isPaused: boolean;
  /** Somebody is removing it, or tried to. */
  readonly isBeingRemoved: boolean;
  readonly hasTerminal: boolean;
  /** Null before its end. */
  readonly exitCode: number | null;
  readonly isOutOfMemory: boolean;
  readonly finishedAt: string | undefined;
  /** Undefined without a limit. */
  readonly memoryBytes: number | undefined;
  /** Undefined without a health check. */
  readonly health: ContainerHealth | undefined;
  /** Container port to published host port. */
  readonly ports: ReadonlyMap<number, number>;
  /** Its address in each network. The gateway's address belongs to the machine that runs the container. */
  readonly networks: readonly { readonly gateway: string; readonly address: string }[];
};

export type ContainerHealth = {
  readonly state: Health;
  /** When the last check ended; undefined before the first one. */
  readonly checkedAt: string | undefined;
  /** From the end of a check to the next one. */
  readonly intervalMs: number;
  /** How long one check may take. */
  readonly timeoutMs: number;
  /** In which failures don't count. */
  readonly startMs: number;
  /** So many failures in a row make it unhealthy. */
  readonly retries: number;
};

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

type LogQuery = {
  /** In whole seconds since 1970. */
  readonly since: number;
  /** Goes on with new entries until the container ends. */
  readonly follow: boolean;
  /** Only so many of the newest entries. */
  readonly tail?: number;
  readonly signal: AbortSignal;
};

export type DaemonEvent = {
  readonly id: string;
  /** `die`, `oom`, `start`, `destroy`; Podman says `died` and `remove`. */
  readonly action: string;
};

type InspectedImage = {
  readonly id: string;
  /** What it is called in registries: `shop/web@sha256:…`. Empty for an image that was built on the machine. */
  readonly digests: readonly string[];
};

export type PullOptions = { readonly auth: string | undefined; readonly signal: AbortSignal };

export type PullLine = {
  readonly id?: string | undefined;
  readonly status?: string | undefined;
  readonly progressDetail?: { readonly current?: number | undefined } | undefined;
  readonly error?: string | undefined;
};
