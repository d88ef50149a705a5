import type { NewEnvVar, NewJobContainer, NewServiceContainer, NewVolumeMount } from "../../../api/schema.ts";
import { MEMORY_RANGE, memoryMiB } from "../../../api/memory.ts";
import { Refusal } from "../../engine.ts";
import type { Runtime } from "../runtime.ts";

/** A container of a definition: the requested values, checked and in one form. */
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

/** What answers say about a memory limit besides the one that was asked for. */
export type EnforcedMib = Runtime["enforcedMib"];

/** The part of `resources` about another limit than the requested one, which stays as it was requested. */
export function enforcedFields(limitMib: number | undefined, enforcedMib: EnforcedMib) {
  const enforced = enforcedMib?.(limitMib);
  return enforced === undefined || enforced === limitMib ? {} : { enforced: { memory: String(enforced) } };
}

type NewContainer = NewJobContainer | NewServiceContainer;

/** `workload` is a name; its containers are named after it: `web`, then `web-2`, … */
type Reading = { readonly check: Runtime["check"]; readonly workload: string };

/**
 * Reads the containers of a creation body that passed `checkedBody`. Throws a `Refusal` 400 for a container that the
 * runtime can't run.
 */
export function readContainers(containers: readonly NewContainer[], { check, workload }: Reading): Container[] {
  return containers.map((container, index) => {
    const memory = container.resources?.limits?.memory;
    const read = {
      name: index === 0 ? workload : `${workload}-${index + 1}`,
      image: container.image,
      pullAlways: "pull_always" in container && (container.pull_always ?? false),
      command: container.command,
      env: container.env,
      ports: (container.ports ?? []).map(({ port }) => ({ port, protocol: "TCP" })),
      memoryMib: memory === undefined ? undefined : readMemory(memory),
      mounts: container.volumeMounts ?? [],
    };
    check(read, `containers[${index}]`);
    return read;
  });
}

/** Parses any spelling of a memory size into whole MiB. Throws a `Refusal` 400 when it is out of range. */
export function readMemory(memory: string | number): number {
  const mib = memoryMiB(memory);
  if (mib === undefined) throw new Refusal(400, `a memory limit must be ${MEMORY_RANGE}`);
  return mib;
}
