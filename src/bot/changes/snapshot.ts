import { z } from "zod";
import type { Job, Service } from "../../api/answers.ts";
import { parseMemoryMiB } from "../../api/memory.ts";

/** The fields of a workload that a write can change or depends on; undefined when it doesn't exist. */
export const Snapshot = optional(
  z
    .object({
      /** See `identityOf`. */
      uid: optional(z.string()),
      status: optional(z.string()),
      size: optional(z.number()),
      /** MiB per container, in order. */
      memoryMiB: z.array(optional(z.number())).readonly(),
      /** Undefined when the API doesn't report them, which isn't the same as none. */
      domains: optional(z.array(z.string()).readonly()),
      /** Since when its status is what it is, where the API says so. */
      since: z.string().optional(),
    })
    .readonly(),
);
export type Snapshot = z.output<typeof Snapshot>;

export function serviceSnapshot(service: Service): NonNullable<Snapshot> {
  return {
    uid: identityOf(service.uid, service.created_at),
    status: service.status ?? undefined,
    size: service.target_instance_size ?? undefined,
    memoryMiB: (service.containers ?? []).map((container) => parseMemoryMiB(container.resources?.limits?.memory)),
    domains: service.binding_domain_name,
    ...(service.status_since !== undefined && { since: service.status_since }),
  };
}

/** A job can only be created and deleted, so only its identity matters. */
export function jobSnapshot({ metadata }: Job): NonNullable<Snapshot> {
  const uid = identityOf(metadata.uid, metadata.creationTimestamp);
  return { uid, status: undefined, size: undefined, memoryMiB: [], domains: undefined };
}

const MADE_AT = "created ";

/**
 * Distinguishes a workload from a later one of the same name: the `uid`, or the creation time if there is no `uid`.
 * Undefined when neither is reported.
 */
export function identityOf(uid: string | undefined, createdAt: string | undefined): string | undefined {
  if (uid !== undefined && uid !== "") return uid;
  return createdAt === undefined || createdAt === "" ? undefined : `${MADE_AT}${createdAt}`;
}

/** Whether two identities certainly differ. A `uid` and a creation time can't be compared. */
export function isAnother(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(MADE_AT) === other.startsWith(MADE_AT);
}

/** An optional value in JSON, which has no `undefined`: missing in an object, null in a list. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}
