import type { EnvVar, NewJobContainer, NewServiceContainer, VolumeMount } from "../../api/schema.ts";
import { Refusal } from "../engine.ts";
import { findImage, HOST_IMAGE, type CatalogueEntry } from "./catalogue.ts";
import { readMemory } from "./memory-limit.ts";

/** A container as it is remembered: what was asked for, checked, in one form. */
export type Container = {
  readonly name: string;
  readonly image: string;
  readonly pullAlways: boolean;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  readonly memoryMib?: number | undefined;
  readonly mounts: readonly VolumeMount[];
};

type NewContainer = NewJobContainer | NewServiceContainer;

/** What stands around the containers in a creation body. */
export type Surroundings = {
  readonly catalogue: readonly CatalogueEntry[];
  /** The name of the workload, from which containers get theirs: `web`, then `web-2`, … */
  readonly workload: string;
  readonly volumes: readonly string[];
};

/** Checks the containers of a creation body; throws a `Refusal` 400 that says what is wrong where. */
export function readContainers(containers: readonly NewContainer[], around: Surroundings): Container[] {
  refuseTwins("volumes", around.volumes);
  return containers.map((container, index) => {
    const where = `containers[${index}]`;
    checkCommand(container, where, findImage(around.catalogue, container.image));
    checkEnv(container.env ?? [], where);
    checkMounts(container.volumeMounts ?? [], where, around.volumes);
    const ports = (container.ports ?? []).map(({ port, protocol }) => ({ port, protocol: protocol ?? "TCP" }));
    refuseTwins(
      `${where}.ports`,
      ports.map(({ port, protocol }) => `${port} ${protocol.toUpperCase()}`),
    );
    const memory = container.resources?.limits?.memory;
    return {
      name: index === 0 ? around.workload : `${around.workload}-${index + 1}`,
      image: container.image,
      pullAlways: "pull_always" in container && (container.pull_always ?? false),
      command: container.command,
      env: container.env,
      ports,
      memoryMib: memory === undefined ? undefined : readMemory(memory),
      mounts: container.volumeMounts ?? [],
    };
  });
}

/** Throws a `Refusal` 400 when a name stands twice. */
export function refuseTwins(where: string, names: readonly string[]): void {
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new Refusal(400, `${where} names ${twin} twice: each may stand there once`);
}

function checkCommand({ command = [] }: NewContainer, where: string, entry: CatalogueEntry): void {
  if (command.some((word) => word.includes("\0"))) {
    throw new Refusal(400, `${where}.command contains a NUL character, which no program can be given`);
  }
  if (entry.image === HOST_IMAGE && !command[0]) {
    throw new Refusal(400, `${where}.command is required for the image ${HOST_IMAGE}: ${entry.usage}`);
  }
}

function checkEnv(env: readonly EnvVar[], where: string): void {
  for (const { name, value = "" } of env) {
    if (name.includes("=") || `${name}${value}`.includes("\0")) {
      throw new Refusal(400, `${where}.env has a name with "=" or a NUL character, which no program can be given`);
    }
  }
}

function checkMounts(mounts: readonly VolumeMount[], where: string, volumes: readonly string[]): void {
  const unknown = mounts.find(({ name }) => !volumes.includes(name));
  if (!unknown) return;
  const known = volumes.length > 0 ? `there are ${volumes.join(", ")}` : "there are none";
  throw new Refusal(400, `${where}.volumeMounts names ${JSON.stringify(unknown.name)}, which is no volume: ${known}`);
}
