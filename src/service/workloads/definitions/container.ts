import type { NewEnvVar, NewJobContainer, NewServiceContainer, NewVolumeMount } from "../../../api/schema.ts";
import { Refusal } from "../../engine.ts";
import { findImage, HOST_IMAGE, type CatalogueEntry } from "../../engines/process/catalogue.ts";
import { readMemory } from "../../engines/process/instances/memory-limit.ts";

/** A container as it is remembered: what was asked for, checked, in one form. */
export type Container = {
  readonly name: string;
  readonly image: string;
  readonly pullAlways: boolean;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly NewEnvVar[] | undefined;
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  readonly memoryMib?: number | undefined;
  readonly mounts: readonly NewVolumeMount[];
};

type NewContainer = NewJobContainer | NewServiceContainer;

type Reading = {
  readonly catalogue: readonly CatalogueEntry[];
  /** The name of the workload, from which containers get theirs: `web`, then `web-2`, … */
  readonly workload: string;
};

/**
 * Reads the containers of a creation body that passed `checkedBody`. Throws a `Refusal` 400 for features this engine
 * doesn't support.
 */
export function readContainers(containers: readonly NewContainer[], around: Reading): Container[] {
  return containers.map((container, index) => {
    checkCommand(container, `containers[${index}]`, findImage(around.catalogue, container.image));
    const memory = container.resources?.limits?.memory;
    return {
      name: index === 0 ? around.workload : `${around.workload}-${index + 1}`,
      image: container.image,
      pullAlways: "pull_always" in container && (container.pull_always ?? false),
      command: container.command,
      env: container.env,
      ports: (container.ports ?? []).map(({ port }) => ({ port, protocol: "TCP" })),
      memoryMib: memory === undefined ? undefined : readMemory(memory),
      mounts: container.volumeMounts ?? [],
    };
  });
}

function checkCommand({ command = [] }: NewContainer, where: string, entry: CatalogueEntry): void {
  if (entry.image === HOST_IMAGE && !command[0]) {
    throw new Refusal(400, `${where}.command is required for the image ${HOST_IMAGE}: ${entry.usage}`);
  }
}
