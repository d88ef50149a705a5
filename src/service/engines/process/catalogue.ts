import { fileURLToPath } from "node:url";
import { Refusal } from "../../engine.ts";
import type { Container } from "../../workloads/definitions.ts";
import { getCompileCacheDir } from "node:module";
import type { UnitSpec } from "../../workloads/runtime.ts";
import { enforcedMib, TOKEN_VARIABLE } from "./records/processes.ts";

/** The image whose command is a program of the host; only with `allowHostCommands`. */
const HOST_IMAGE = "host";

const OURS = ["gantry/hello-web", "gantry/worker", "gantry/flaky", "gantry/batch"];

/** The images that this engine can run; programs/run.ts has what they do. */
export function makeCatalogue(allowHostCommands: boolean): readonly string[] {
  return allowHostCommands ? [...OURS, HOST_IMAGE] : OURS;
}

/** `gantry/hello-web:2` has the tag `2`. */
function tagOf(image: string): string | undefined {
  return /:(?<tag>[^/:@]+)(?:@.*)?$/u.exec(image)?.groups?.["tag"];
}

/** Finds an image and ignores its tag or digest. Throws a `Refusal` 400 that names the available images. */
export function findImage(catalogue: readonly string[], image: string): string {
  const name = image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  if (catalogue.includes(name)) return name;
  throw new Refusal(400, `unknown image ${JSON.stringify(image)}: use ${catalogue.join(", ")}`);
}

/** Throws a `Refusal` 400 for an unknown image, or for a host image without a command. */
export function checkImage(catalogue: readonly string[], { image, command }: Container, where: string): void {
  if (findImage(catalogue, image) === HOST_IMAGE && !command?.[0]) {
    throw new Refusal(400, `${where}.command is required for the image ${HOST_IMAGE}: PROGRAM [ARGUMENT…]`);
  }
}

/** A unit about to be started as a process. */
export type Launch = {
  readonly spec: UnitSpec;
  /** Each container port of the unit, and the host port that the process has to open for it. */
  readonly hostPorts: ReadonlyMap<number, number>;
  readonly volumes: readonly HostVolume[];
  readonly workFolder: string;
};

type HostVolume = { readonly name: string; readonly path: string; readonly readOnly: boolean };

/** Given to the operating system, except for `handed`, which goes through stdin (programs/lifeline.ts). */
export type LaunchPlan = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly handed: {
    readonly env: Readonly<Record<string, string>>;
    readonly run?: { readonly path: string; readonly attempt: number };
  };
  readonly isHostCommand: boolean;
};

/** The file of all programs; its first argument says which one. */
export const PROGRAMS = fileURLToPath(new URL("./programs/run.ts", import.meta.url));
const lifeline = new URL("./programs/lifeline.ts", import.meta.url).href;
/** Only these variables of the server are passed on: its environment holds secrets of the bot. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TMPDIR"];

export function planLaunch(launch: Launch, image: string, token: string): LaunchPlan {
  const { spec } = launch;
  const compiled = getCompileCacheDir();
  const isHostCommand = image === HOST_IMAGE;
  const limit = spec.definition.memoryMib;
  // The heap is bounded at the whole limit: makeMemoryWatch, which counts all memory, catches most programs first and logs it;
  // a faster one ends here. The runner of a host command itself has no limit.
  const heap = limit === undefined || isHostCommand ? [] : [`--max-old-space-size=${enforcedMib(limit)}`];
  return {
    isHostCommand,
    args: [
      // Shown by `ps`; where the environment of a process cannot be read, the token is found here.
      `--title=gantry:${spec.instance}:${token}`,
      ...heap,
      "--import",
      lifeline,
      PROGRAMS,
      image.replace("gantry/", ""),
      ...(spec.definition.command ?? []),
    ],
    env: {
      ...Object.fromEntries(
        INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      HOME: launch.workFolder,
      // Removing the types of our programs is more than half of what their start costs.
      ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }),
      [TOKEN_VARIABLE]: token,
    },
    handed: {
      env: handedEnv(launch),
      ...(spec.run && { run: { path: spec.run.record, attempt: spec.run.attempt } }),
    },
  };
}

/** The container's own environment first, because it must not change the engine's variables, such as PORT. */
function handedEnv({ spec, hostPorts, volumes }: Launch): Record<string, string> {
  const env: Record<string, string> = {
    TZ: spec.syncTimezone ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC",
  };
  for (const { name, value } of spec.definition.env ?? []) env[name] = value ?? "";
  env["INSTANCE_NAME"] = spec.instance;
  env["REGION"] = spec.region;
  const tag = tagOf(spec.definition.image);
  if (tag !== undefined) env["IMAGE_TAG"] = tag;
  if (spec.run) env["GANTRY_ATTEMPT"] = String(spec.run.attempt);
  const [first] = hostPorts.values();
  if (first !== undefined) env["PORT"] = String(first);
  for (const [containerPort, hostPort] of hostPorts) env[`PORT_${containerPort}`] = String(hostPort);
  for (const mount of spec.definition.mounts) {
    const volume = volumes.find((candidate) => candidate.name === mount.name);
    const name = mount.name.toUpperCase().replace(/[^A-Z0-9]/g, "_");
    if (volume) env[`GANTRY_VOLUME_${name}`] = volume.path;
    env[`GANTRY_MOUNT_${name}`] = mount.mountPath + (volume?.readOnly ? ":ro" : "");
  }
  return env;
}

/** Lines for the log before the start, about requested features that are not available here. */
export function caveats({ definition, volumes }: UnitSpec, platform: NodeJS.Platform): string[] {
  const lines: string[] = [];
  const limit = definition.memoryMib;
  if (limit !== undefined && enforcedMib(limit) !== limit) {
    lines.push(
      `the memory limit of ${limit} MiB is too small to start a program: ${enforcedMib(limit)} MiB is enforced`,
    );
  }
  if (limit !== undefined && platform !== "linux") {
    lines.push(`the memory limit of ${limit} MiB limits only the JavaScript heap of catalogue programs on this system`);
  }
  for (const { name, readOnly } of volumes) {
    if (readOnly && definition.mounts.some((mount) => mount.name === name)) {
      lines.push(`the volume ${name} is read-only, but this isn't enforced here: don't write to it`);
    }
  }
  return lines;
}
