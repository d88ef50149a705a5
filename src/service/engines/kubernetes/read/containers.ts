import type { Container } from "../../../workloads/definitions.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { quantityMib } from "./quantity.ts";
import { isTimeZoneVolume, type Remembered } from "./remembered.ts";

export type PodTemplate = KubeObject<"Deployment">["spec"]["template"];

/** The containers of a pod template as the API has them. */
export function containersOf({ spec }: PodTemplate, remembered: Remembered | undefined): Container[] {
  return spec.containers.map(({ name, image, imagePullPolicy, command = [], args = [], env, ports, ...container }) => {
    // The API's command holds the arguments too.
    const words = [...command, ...args].map(unescaped);
    const memory = container.resources?.limits?.["memory"];
    return {
      name,
      image,
      pullAlways: imagePullPolicy === "Always",
      command: words.length > 0 ? words : undefined,
      // A value that comes from a Secret or ConfigMap isn't read, so its variable has a name only.
      env:
        env.length > 0
          ? env.map((variable) => ({
              name: variable.name,
              ...(variable.value !== undefined && { value: unescaped(variable.value) }),
            }))
          : undefined,
      ports: ports.map(({ containerPort, protocol = "TCP" }) => ({ port: containerPort, protocol })),
      memoryMib: memory === undefined ? undefined : quantityMib(memory),
      mounts: container.volumeMounts
        .filter((mount) => !isTimeZoneVolume(mount.name, remembered))
        .map((mount) => ({ name: volumeName(mount.name, remembered), mountPath: mount.mountPath })),
    };
  });
}

/** The requested name of a pod's volume. */
export function volumeName(podVolume: string, remembered: Remembered | undefined): string {
  return remembered?.volumes.find((volume) => volume.podVolume === podVolume)?.name ?? podVolume;
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
