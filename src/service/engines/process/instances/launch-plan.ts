import { fileURLToPath } from "node:url";
import { HOST_IMAGE, type CatalogueEntry } from "../catalogue.ts";
import type { Container } from "../../../workloads/definitions/container.ts";
import { enforcedMib } from "./memory-limit.ts";
import { TOKEN_VARIABLE } from "../records/seen-process.ts";

/** One container of one instance, about to be started. */
export type Launch = {
  readonly workload: string;
  readonly instance: string;
  readonly region: string;
  readonly container: Container;
  readonly volumes: readonly HostVolume[];
  /** The port mappings of this container: container port to the port on the host that this process is to open. */
  readonly ports: ReadonlyMap<number, number>;
  readonly syncTimezone: boolean;
  readonly workFolder: string;
  /** For a job: the attempt, from 1, and the file that records its end (run-record.ts). */
  readonly run?: { readonly path: string; readonly attempt: number };
};

export type HostVolume = { readonly name: string; readonly path: string; readonly readOnly: boolean };

/** What is handed to the operating system, and what goes through stdin (see programs/lifeline.ts). */
export type LaunchPlan = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly handed: { readonly env: Readonly<Record<string, string>>; readonly run?: Launch["run"] };
  readonly isHostCommand: boolean;
};

const lifeline = new URL("../programs/lifeline.ts", import.meta.url).href;
/** Of the engine's own environment only this goes on: it holds secrets of the bot. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TMPDIR"];

export function planLaunch(launch: Launch, entry: CatalogueEntry, token: string): LaunchPlan {
  const isHostCommand = entry.image === HOST_IMAGE;
  const limit = launch.container.memoryMib;
  // The heap is bounded at the whole limit: memory-watch.ts, which counts everything, sees most programs first and can
  // say it in the log; a program that outruns it ends here. The runner of a host command is not the one that is limited.
  const heap = limit === undefined || isHostCommand ? [] : [`--max-old-space-size=${enforcedMib(limit)}`];
  return {
    isHostCommand,
    args: [
      // What `ps` shows; where the environment of a process cannot be read, the token is found here.
      `--title=gantry:${launch.instance}:${token}`,
      ...heap,
      "--import",
      lifeline,
      fileURLToPath(entry.program),
      ...(launch.container.command ?? []),
    ],
    env: {
      ...Object.fromEntries(INHERITED.flatMap((name) => entryOf(name))),
      HOME: launch.workFolder,
      [TOKEN_VARIABLE]: token,
    },
    handed: { env: handedEnv(launch), ...(launch.run && { run: launch.run }) },
  };
}

function entryOf(name: string): [string, string][] {
  const value = process.env[name];
  return value === undefined ? [] : [[name, value]];
}

/** The container's own environment first: what the engine says, such as PORT, is not for the container to change. */
function handedEnv(launch: Launch): Record<string, string> {
  const env: Record<string, string> = { TZ: launch.syncTimezone ? hostZone() : "UTC" };
  for (const { name, value } of launch.container.env ?? []) env[name] = value ?? "";
  env["INSTANCE_NAME"] = launch.instance;
  env["REGION"] = launch.region;
  if (launch.run) env["GANTRY_ATTEMPT"] = String(launch.run.attempt);
  const [first] = launch.ports.values();
  if (first !== undefined) env["PORT"] = String(first);
  for (const [containerPort, hostPort] of launch.ports) env[`PORT_${containerPort}`] = String(hostPort);
  for (const mount of launch.container.mounts) {
    const volume = launch.volumes.find((candidate) => candidate.name === mount.name);
    const name = mount.name.toUpperCase().replace(/[^A-Z0-9]/g, "_");
    if (volume) env[`GANTRY_VOLUME_${name}`] = volume.path;
    env[`GANTRY_MOUNT_${name}`] = mount.mountPath + (volume?.readOnly ? ":ro" : "");
  }
  return env;
}

function hostZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** What a program's log says before it starts: what was asked for and cannot be had here. */
export function caveats({ container, volumes }: Launch, platform: NodeJS.Platform): string[] {
  const said: string[] = [];
  const limit = container.memoryMib;
  if (limit !== undefined && enforcedMib(limit) !== limit) {
    said.push(
      `the memory limit of ${limit} MiB is too small to start a program: ${enforcedMib(limit)} MiB is enforced`,
    );
  }
  if (limit !== undefined && platform !== "linux") {
    said.push(`the memory limit of ${limit} MiB bounds only the JavaScript heap of catalogue programs on this system`);
  }
  for (const { name, readOnly } of volumes) {
    if (readOnly && container.mounts.some((mount) => mount.name === name)) {
      said.push(`the volume ${name} is read-only, which is not enforced here: do not write to it`);
    }
  }
  return said;
}
