import type { Container } from "../../../workloads/definitions.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { quantityMib } from "./quantity.ts";
import { isTimeZoneVolume, type Remembered } from "./remembered.ts";

export type PodTemplate = KubeObject<"Deployment">["spec"]["template"];
type PodContainer = PodTemplate["spec"]["containers"][number];

/** The containers of a pod template as the API has them. */
export function containersOf({ spec }: PodTemplate, remembered: Remembered | undefined): Container[] {
  return spec.containers.map((container) => ({
    name: container.name,
    image: container.image,
    pullAlways: container.imagePullPolicy === "Always",
    command: commandOf(container),
    env: envOf(container),
    ports: container.ports.map(({ containerPort, protocol = "TCP" }) => ({ port: containerPort, protocol })),
    memoryMib: memoryOf(container),
    mounts: container.volumeMounts
      .filter(({ name }) => !isTimeZoneVolume(name, remembered))
      .map(({ name, mountPath }) => ({ name: volumeName(name, remembered), mountPath })),
  }));
}

/** The requested name of a pod's volume. */
export function volumeName(podVolume: string, remembered: Remembered | undefined): string {
  return remembered?.volumes.find((volume) => volume.podVolume === podVolume)?.name ?? podVolume;
}

/** The API's command holds the arguments too. */
function commandOf({ command = [], args = [] }: PodContainer): readonly string[] | undefined {
  const words = [...command, ...args].map(unescaped);
  return words.length > 0 ? words : undefined;
}

/** A value that comes from a Secret or ConfigMap isn't read, so its variable has a name only. */
function envOf({ env }: PodContainer): Container["env"] {
  if (env.length === 0) return undefined;
  return env.map(({ name, value }) => ({ name, ...(value !== undefined && { value: unescaped(value) }) }));
}

function memoryOf({ resources }: PodContainer): number | undefined {
  const limit = resources?.limits?.["memory"];
  return limit === undefined ? undefined : quantityMib(limit);
}

/**
 * Kubernetes replaces `$(NAME)` and `$$` in commands, arguments and values of variables
 * (https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/). The API promises a
 * program its words as they were sent, so they are escaped: `$$` for `$` where it would be replaced.
 */
export function escaped(word: string): string {
  return word.replaceAll(/\$+(?=\()|\${2,}/gu, (dollars) => dollars + dollars);
}

/** The word that a program sees of an escaped one. A reference to a variable stays as it is. */
export function unescaped(word: string): string {
  return word.replaceAll("$$", () => "$");
}
