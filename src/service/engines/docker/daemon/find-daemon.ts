import { homedir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../../platform/clock.ts";
import { addressOf, addressText, type DaemonAddress, type TlsSettings } from "./daemon-connection.ts";
import type { DaemonAbout, DaemonApi } from "./daemon-client.ts";
import { daemonAt } from "./daemon-client.ts";
import { whyUnusable } from "./daemon-answers.ts";

/** What the environment says about the daemon. */
export type DaemonSettings = {
  /** Valid addresses, see addressOf. */
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

/** Delay before `onWait`. */
const WAIT_MS = 10_000;

/**
 * The daemon of DOCKER_HOST, else of CONTAINER_HOST, else the one that this folder's workloads ran on before, else the
 * first that answers at a usual socket. Throws an Error that lists where it looked.
 */
export async function findDaemon(settings: DaemonSettings, looking: Looking): Promise<FoundDaemon> {
  const { candidates, patienceMs, failed } = await whereToLook(settings, looking);
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
  throw new Error([...failed, ...tried].join("\n"));
}

type Where = {
  readonly candidates: readonly Candidate[];
  readonly patienceMs: number;
  /** What to say when none can be used. */
  readonly failed: readonly string[];
};

/** Under load, Podman may wait most of a minute for its storage. A socket that was only guessed must not delay the start as long. */
const PATIENCE_MS = { chosen: 120_000, guessed: 30_000 };

async function whereToLook(
  { dockerHost, containerHost, tls, runtimeDir }: DaemonSettings,
  { remembered, usual = usualSockets({ runtimeDir }) }: Looking,
): Promise<Where> {
  const only = async (text: string, from: string, failed: string, settings: TlsSettings = tls): Promise<Where> => {
    const candidates = [{ address: await addressOf(text, settings), from }];
    return { candidates, patienceMs: PATIENCE_MS.chosen, failed: [`Nothing was started: ${failed}`] };
  };
  const unusable = (variable: string): string =>
    `the daemon of ${variable} can't be used. Start it, or set ${variable} to another.`;
  if (dockerHost !== undefined) return await only(dockerHost, "DOCKER_HOST", unusable("DOCKER_HOST"));
  if (containerHost !== undefined) {
    return await only(containerHost, "CONTAINER_HOST", unusable("CONTAINER_HOST"), { isVerified: false });
  }
  if (remembered !== undefined) {
    // Another daemon would start what may still run on this one.
    const failed =
      "the workloads of this data folder run on a daemon that can't be used. Start it. To run them on another one, " +
      "set DOCKER_HOST.";
    return await only(remembered, "used before", failed);
  }
  const failed = [
    "Nothing was started: found neither Docker nor Podman. Start one of them (`systemctl start docker`, or " +
      "`systemctl --user start podman.socket`), or set DOCKER_HOST. Looked at:",
    "- DOCKER_HOST and CONTAINER_HOST: not set",
  ];
  return { candidates: usual, patienceMs: PATIENCE_MS.guessed, failed };
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
