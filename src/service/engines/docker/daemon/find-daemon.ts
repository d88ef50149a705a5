import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../../platform/clock.ts";
import { addressOf, addressText, type DaemonAddress, type TlsSettings } from "./daemon-address.ts";
import type { DaemonAbout, DaemonApi } from "./daemon-client.ts";
import { daemonAt } from "./daemon-client.ts";
import { whyUnusable } from "./daemon-error.ts";

/** What the environment says about the daemon. */
export type DaemonSettings = {
  /** Valid addresses, see daemon-address.ts. */
  readonly dockerHost?: string | undefined;
  readonly containerHost?: string | undefined;
  readonly tls: TlsSettings;
  /** XDG_RUNTIME_DIR: where the sockets of a user's own daemons are. */
  readonly runtimeDir?: string | undefined;
};

/** A daemon that has answered. */
export type FoundDaemon = {
  readonly address: DaemonAddress;
  readonly daemon: DaemonApi;
  readonly about: DaemonAbout;
};

type Candidate = { readonly address: DaemonAddress; readonly from: string };

type Looking = {
  readonly clock: Clock;
  /** The address from before, see data-folder.ts. */
  readonly remembered?: string | undefined;
  /** Where to look if nothing else is said; tests have their own places. */
  readonly usual?: readonly Candidate[];
  /** Called when the daemon to use takes long to answer. */
  readonly onWait?: (address: string) => void;
};

/** Under load, Podman may wait most of a minute for its storage. A socket that was only guessed must not delay the start as long. */
const PATIENCE_MS = { chosen: 120_000, guessed: 30_000 };
/** Delay before `onWait`. */
const WAIT_MS = 10_000;

/**
 * The daemon of DOCKER_HOST, else of CONTAINER_HOST, else the one that this folder's workloads ran on before, else the
 * first that answers at a usual socket. Throws an Error that lists where it looked.
 */
export async function findDaemon(settings: DaemonSettings, looking: Looking): Promise<FoundDaemon> {
  const candidates = await candidatesOf(settings, looking);
  const patienceMs = isGuessed(settings, looking) ? PATIENCE_MS.guessed : PATIENCE_MS.chosen;
  const tried: string[] = [];
  for (const { address, from } of candidates) {
    const daemon = daemonAt(address, looking.clock);
    const waiting = looking.clock.after(WAIT_MS, () => looking.onWait?.(addressText(address)));
    try {
      return { address, daemon, about: await daemon.about(patienceMs) };
    } catch (error) {
      tried.push(`- ${addressText(address)} (${from}): ${whyUnusable(error)}`);
    } finally {
      waiting.cancel();
    }
  }
  throw new Error([...sentences(settings, looking), ...tried].join("\n"));
}

function isGuessed({ dockerHost, containerHost }: DaemonSettings, { remembered }: Looking): boolean {
  return dockerHost === undefined && containerHost === undefined && remembered === undefined;
}

async function candidatesOf(
  settings: DaemonSettings,
  { remembered, usual = usualSockets(settings) }: Looking,
): Promise<readonly Candidate[]> {
  const { dockerHost, containerHost, tls } = settings;
  if (dockerHost !== undefined) return [{ address: await addressOf(dockerHost, tls), from: "DOCKER_HOST" }];
  const plain = { isVerified: false };
  if (containerHost !== undefined) return [{ address: await addressOf(containerHost, plain), from: "CONTAINER_HOST" }];
  // Another daemon would start what may still run on this one.
  if (remembered !== undefined) return [{ address: await addressOf(remembered, tls), from: "used before" }];
  return usual;
}

export function usualSockets({ runtimeDir }: Pick<DaemonSettings, "runtimeDir">): readonly Candidate[] {
  const own = runtimeDir ?? `/run/user/${process.getuid?.() ?? 0}`;
  const places = {
    Docker: "/var/run/docker.sock",
    "Docker, rootless": join(own, "docker.sock"),
    "Docker Desktop": join(homedir(), ".docker/run/docker.sock"),
    "Docker Desktop on Linux": join(homedir(), ".docker/desktop/docker.sock"),
    "Podman, rootless": join(own, "podman/podman.sock"),
    Podman: "/run/podman/podman.sock",
  };
  return Object.entries(places).map(([from, socketPath]) => ({ address: { socketPath }, from }));
}

function sentences({ dockerHost, containerHost }: DaemonSettings, { remembered }: Looking): string[] {
  if (dockerHost !== undefined || containerHost !== undefined) {
    const variable = dockerHost === undefined ? "CONTAINER_HOST" : "DOCKER_HOST";
    return [`Nothing was started: the daemon of ${variable} can't be used. Start it, or set ${variable} to another.`];
  }
  if (remembered !== undefined) {
    return [
      "Nothing was started: the workloads of this data folder run on a daemon that can't be used. Start it. To run " +
        "them on another one, set DOCKER_HOST.",
    ];
  }
  return [
    "Nothing was started: found neither Docker nor Podman. Start one of them (`systemctl start docker`, or " +
      "`systemctl --user start podman.socket`), or set DOCKER_HOST. Looked at:",
    "- DOCKER_HOST and CONTAINER_HOST: not set",
  ];
}
