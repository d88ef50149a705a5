import { createServer } from "node:net";
import { join } from "node:path";
import type { OpenedEngine } from "../../engine.ts";
import type { QuotaSettings } from "../../workloads/host-limits.ts";
import { listen } from "../../workloads/ports.ts";
import type { WorkloadOptions } from "../../workloads/workload-engine.ts";
import { addressText, isLocal } from "./daemon/daemon-address.ts";
import { type DaemonSettings, findDaemon, type FoundDaemon } from "./daemon/find-daemon.ts";
import { rememberDaemon, rememberedDaemon, ownerOf } from "./data-folder.ts";
import { openDockerEngine } from "./docker-engine.ts";
import { credentialFiles } from "./images/credentials.ts";
import { titles } from "./limits.ts";
import { OWNER_LABEL } from "./names.ts";

type Choice = {
  readonly regions: readonly string[];
  readonly quotas: QuotaSettings;
  readonly daemon: DaemonSettings;
  readonly credentials: Readonly<Record<string, string | undefined>>;
  readonly portsHost: string;
};
type Parts = Pick<WorkloadOptions, "dataDir" | "users" | "onEvent" | "clock">;

/**
 * Finds the daemon and opens the engine on it. Throws an Error that lists where it looked when there is none;
 * nothing is running then.
 */
export async function startDocker(
  { daemon: settings, credentials, portsHost, ...options }: Choice,
  parts: Parts,
): Promise<OpenedEngine & { readonly found: readonly string[] }> {
  // A folder of its own: workloads of the process engine are no containers.
  const dataDir = join(parts.dataDir, "docker");
  await ensureOwnAddress(portsHost);
  const before = await rememberedDaemon(dataDir);
  const onWait = (daemon: string) => parts.onEvent?.("waiting for the daemon, which has not answered yet", { daemon });
  const found = await findDaemon(settings, { clock: parts.clock, remembered: before, onWait });
  const files = credentialFiles(found.about.kind, credentials);
  const opened = await openDockerEngine({
    ...parts,
    ...options,
    dataDir,
    found,
    credentialFiles: files,
    portsHost,
  });
  const notices = [...opened.notices, ...plainNotices(found), ...(await movedNotices(dataDir, before, found))];
  await rememberDaemon(dataDir, found.address);
  const { kind, version } = found.about;
  return {
    ...opened,
    notices,
    found: [`${titles[kind]} ${version} at ${addressText(found.address)}`],
  };
}

async function ensureOwnAddress(host: string): Promise<void> {
  const server = createServer();
  try {
    await listen(server, 0, host);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Nothing was started: this machine can't listen on SERVICE_PORTS_HOST=${host} (${why}). Set it to one of its own addresses, or unset it.`,
      { cause: error },
    );
  }
  await new Promise((resolve) => server.close(resolve));
}

function plainNotices({ address, about }: FoundDaemon): string[] {
  if (isLocal(address) || ("tls" in address && address.tls)) return [];
  return [
    `WARNING: the connection to ${titles[about.kind]} at ${addressText(address)} isn't encrypted. Everybody on the way can run containers there. Use TLS: set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH.`,
  ];
}

async function movedNotices(dataDir: string, before: string | undefined, found: FoundDaemon): Promise<string[]> {
  const now = addressText(found.address);
  if (before === undefined || before === now) return [];
  const label = `${OWNER_LABEL}=${await ownerOf(dataDir)}`;
  return [
    `WARNING: these workloads ran on the daemon at ${before} until now, and run at ${now} from now on. If these are two daemons, containers on the old one run on. List them: docker -H ${before} ps --filter label=${label}`,
  ];
}
