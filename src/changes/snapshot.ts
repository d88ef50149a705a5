import { z } from "zod";
import type { Job, Service } from "../api/answers.ts";
import { parseMemoryMiB } from "../api/memory.ts";

/** The fields of a workload that a write can change or depends on, as read; `undefined` when it does not exist. */
export const Snapshot = optional(
  z
    .object({
      /** What stands for it: see `identityOf`. */
      uid: optional(z.string()),
      status: optional(z.string()),
      size: optional(z.number()),
      /** MiB by container, in the order of the containers. */
      memoryMiB: z.array(optional(z.number())).readonly(),
      domains: z.array(z.string()).readonly(),
    })
    .readonly(),
);
export type Snapshot = z.output<typeof Snapshot>;

/** The fields of a service that a write can change or depends on. Pure. */
export function serviceSnapshot(service: Service): NonNullable<Snapshot> {
  return {
    uid: identityOf(service.uid, service.created_at),
    status: service.status ?? undefined,
    size: service.target_instance_size ?? undefined,
    memoryMiB: (service.containers ?? []).map((container) => parseMemoryMiB(container.resources?.limits?.memory)),
    domains: service.binding_domain_name ?? [],
  };
}

/** A job can only be created and deleted: what matters is which one it is. Pure. */
export function jobSnapshot({ metadata }: Job): NonNullable<Snapshot> {
  const uid = identityOf(metadata.uid, metadata.creationTimestamp);
  return { uid, status: undefined, size: undefined, memoryMiB: [], domains: [] };
}

const MADE_AT = "created ";

/**
 * What tells a workload from its namesake made later: the `uid`, or the time of its creation for a service that tells
 * no `uid`. Undefined when neither is told.
 */
export function identityOf(uid: string | undefined, createdAt: string | undefined): string | undefined {
  if (uid !== undefined && uid !== "") return uid;
  return createdAt === undefined || createdAt === "" ? undefined : `${MADE_AT}${createdAt}`;
}

/** Whether these are certainly two workloads. What was told once by `uid` and once by time cannot be compared. */
export function isAnother(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(MADE_AT) === other.startsWith(MADE_AT);
}

/** A value that may not be told. JSON has no `undefined`: in an object it is left out, in a list it becomes null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}
