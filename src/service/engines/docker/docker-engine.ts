import { makeFolder } from "../../../platform/make-folder.ts";
import { availableParallelism } from "node:os";
import { aroundEach, type OpenedEngine, type Engine, Refusal } from "../../engine.ts";
import { connectionsFor, quotasFor, type QuotaSettings, thisMachine } from "../../workloads/quota.ts";
import { HOST, listen } from "../../workloads/ports.ts";
import { openWorkloadEngine, type WorkloadOptions } from "../../workloads/workload-engine.ts";
import { isLocal, addressText } from "./daemon/daemon-connection.ts";
import { type DaemonHealth, watchHealth, type Outage, freeBytesFor, watchDisk } from "./daemon/daemon-health.ts";
import { type FoundDaemon, type DaemonSettings, findDaemon } from "./daemon/find-daemon.ts";
import { type DockerRuntime, makeDockerRuntime } from "./docker-runtime.ts";
import { credentialsIn, credentialFiles } from "./images/registry.ts";
import { makeImages } from "./images/images.ts";
import type { PullLimits } from "./images/pull-progress.ts";
import { dockerLimits, titles } from "./descriptor.ts";
import { ownerOf, rememberDaemon, rememberedDaemon } from "./data-folder.ts";
import { createServer } from "node:net";
import { join } from "node:path";
import { OWNER_LABEL } from "./container-spec.ts";

type DockerEngineOptions = WorkloadOptions & {
  readonly found: FoundDaemon;
  /** Quotas per user and for the daemon's machine; defaults in quota.ts. */
  readonly quotas?: QuotaSettings;
  /** The address of this machine that port mappings get; 127.0.0.1. */
  readonly portsHost?: string;
  /** From SIGTERM to SIGKILL; 10 s. */
  readonly graceSeconds?: number;
  /** Files with credentials for registries, see images/registry.ts; none. */
  readonly credentialFiles?: readonly string[];
  /** When a pull is given up; see pull-progress.ts. */
  readonly pullLimits?: PullLimits;
};

const MIN_STARTS_AT_ONCE = 4;

/**
 * Opens an engine that runs workloads as containers of Docker or Podman. Containers of an earlier engine on this folder
 * are adopted. Throws when another engine uses the folder.
 */
export async function openDockerEngine(options: DockerEngineOptions): Promise<OpenedEngine> {
  const { found, clock, onEvent = () => undefined } = options;
  const { daemon, about } = found;
  const { dataFolder } = about;
  const title = titles[about.kind];
  makeFolder(options.dataDir);
  const owner = await ownerOf(options.dataDir);
  const machine = { ...thisMachine(), memoryMib: about.memoryMib };
  let runtime: DockerRuntime | undefined;
  const catchUp = async () => await runtime?.compare();
  const health = watchHealth({ daemon, about, clock, onEvent, catchUp });
  const opened = await openWorkloadEngine(options, {
    about: {
      name: "docker",
      title,
      version: about.version,
      cannot: dockerLimits({ isLocal: isLocal(found.address), limitsMemory: about.limitsMemory }),
    },
    quotas: quotasFor(options.quotas ?? {}, machine),
    startsAtOnce: Math.max(MIN_STARTS_AT_ONCE, availableParallelism()),
    runtime: () =>
      (runtime = makeDockerRuntime({
        clock,
        daemon,
        folder: options.dataDir,
        owner,
        isPodman: about.kind === "podman",
        limitsMemory: about.limitsMemory,
        graceSeconds: options.graceSeconds,
        images: makeImages({
          clock,
          daemon,
          program: about.kind,
          credentials: credentialsIn(options.credentialFiles ?? []),
          limits: options.pullLimits,
        }),
        connections: connectionsFor(machine),
        portsHost: options.portsHost ?? HOST,
        readiness() {
          const outage = health.outage();
          return outage ? { ok: false, reason: outageSentence(title, outage) } : { ok: true };
        },
        answeredMs: health.answeredMs,
        disk: isLocal(found.address)
          ? watchDisk({
              clock,
              onEvent,
              async freeBytes() {
                return dataFolder === undefined ? undefined : await freeBytesFor(dataFolder, about.isRootless);
              },
            })
          : undefined,
        onEvent,
      })),
  }).catch((error: unknown) => {
    health.close();
    throw error;
  });
  return withHealth(opened, title, health);
}

/** The opened engine, which says when the daemon is away. */
function withHealth(opened: OpenedEngine, title: string, health: DaemonHealth): OpenedEngine {
  return {
    ...opened,
    engine: refusingWhileAway(opened.engine, { title, outage: health.outage }),
    about() {
      const about = opened.about();
      const outage = health.outage();
      const problem = outage && outageSentence(title, outage);
      const { version } = health.about();
      return { ...about, regions: about.regions.map((region) => ({ ...region, version, problem })) };
    },
    async close(closing) {
      await opened.close(closing);
      health.close();
    },
  };
}

/** Their lines are in the log store, so they are read without the daemon. */
const WITHOUT_DAEMON: readonly string[] = ["getServiceLogs", "getJobInstanceLogs"];

const RETRY_AFTER_SECONDS = 5;

/** `Docker hasn't answered since 2026-11-22T14:59:57Z: nothing listens there.` Without addresses: anybody may read it. */
function outageSentence(title: string, { since, why }: Outage): string {
  return `${title} hasn't answered since ${since.toISOString().replace(/\.\d+Z$/u, "Z")}: ${why}.`;
}

/**
 * Wraps an engine to answer 503 while the daemon doesn't answer: what it would say of workloads may be wrong by now, and
 * nothing that it accepted could be done.
 */
function refusingWhileAway(
  engine: Engine,
  { title, outage }: { readonly title: string; readonly outage: () => Outage | undefined },
): Engine {
  return aroundEach(engine, async (run, { op }) => {
    const now = WITHOUT_DAEMON.includes(op) ? undefined : outage();
    if (!now) return await run();
    throw new Refusal(
      503,
      `${outageSentence(title, now)} Nothing was changed. Try again when it is back; logs can be read meanwhile.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  });
}

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
