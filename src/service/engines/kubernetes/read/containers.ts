import type { Container } from "../../../workloads/definitions.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { z } from "zod";
import { annotations, fromAnnotation } from "../names.ts";

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

const factors: ReadonlyMap<string, number> = new Map([
  ["m", 1e-3],
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/**
 * A memory quantity in whole MiB, rounded up: `1Gi`, `128974848`, `129e6`, `500M`. A plain number is bytes here, unlike
 * in the workload API. Undefined for what is no quantity.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantityMib(quantity: string | number): number | undefined {
  const form = /^\+?(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,3})|([A-Za-z]{0,2}))$/u;
  const [, digits, exponent, suffix = ""] = form.exec(String(quantity).trim()) ?? [];
  const factor = exponent === undefined ? factors.get(suffix) : 10 ** Number(exponent);
  if (digits === undefined || factor === undefined) return undefined;
  const mib = (Number(digits) * factor) / 2 ** 20;
  return Number.isFinite(mib) && mib > 0 ? Math.ceil(mib) : undefined;
}

/**
 * Fields of a request that the objects can't hold, as JSON in an annotation of the Deployment or Job. Everything else
 * is read from the objects, so that a change with kubectl shows. Unknown fields are ignored.
 */
const Remembered = z.object({
  /** Names of volumes and disks may hold capitals and dots; those of a pod may not. */
  volumes: z
    .array(
      z.object({
        /** The volume's name in the pod. */
        podVolume: z.string(),
        /** The requested name. */
        name: z.string(),
        /** Only for services: the requested name, and the claim that was made of it. */
        disk: z.object({ name: z.string(), claim: z.string() }).optional(),
        readOnly: z.boolean().default(false),
      }),
    )
    .default([]),
  /** The port mappings of a service in the requested order; their addresses are read from v1 Services. */
  ports: z.array(z.object({ containerPort: z.number(), protocol: z.string() })).default([]),
  /** The volume of the time zone (`timeZoneVolume`) is no volume of the request. */
  syncTimezone: z.boolean().default(false),
});

export type Remembered = z.output<typeof Remembered>;

/** The value of the annotation `gantry/remembered`. */
export function writeRemembered(remembered: z.input<typeof Remembered>): string {
  return JSON.stringify(remembered);
}

/** Undefined for an object of somebody else, and for an annotation that somebody damaged: then the object alone counts. */
export function readRemembered(of: Readonly<Record<string, string>>): Remembered | undefined {
  return fromAnnotation(Remembered, of[annotations.remembered]);
}

/** The pod's volume of `sync_timezone`, for a workload of this name. */
export function timeZoneVolume(name: string): { readonly name: string; readonly hostPath: { readonly path: string } } {
  return { name: `${name}${TIME_ZONE}`, hostPath: { path: "/etc/localtime" } };
}

const TIME_ZONE = "-time-zone";

/** The names of a pod's volumes that hold the time zone, and nothing of the request. */
export function isTimeZoneVolume(podVolume: string, remembered: Remembered | undefined): boolean {
  if (!remembered?.syncTimezone || !podVolume.endsWith(TIME_ZONE)) return false;
  return remembered.volumes.every((volume) => volume.podVolume !== podVolume);
}
