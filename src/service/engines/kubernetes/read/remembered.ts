import { z } from "zod";
import { annotations, fromAnnotation } from "../names.ts";

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
