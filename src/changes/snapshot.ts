import { z } from "zod";
import type { Job, Service } from "../api/answers.ts";
import { parseMemoryMiB } from "../api/memory.ts";
import { identityOf } from "./identity.ts";
import { told } from "./told.ts";

/** The fields of a workload that a write can change or depends on, as read; `undefined` when it does not exist. */
export const Snapshot = told(
  z
    .object({
      /** What stands for it: see `identityOf`. */
      uid: told(z.string()),
      status: told(z.string()),
      size: told(z.number()),
      /** MiB by container, in the order of the containers. */
      memoryMiB: z.array(told(z.number())).readonly(),
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
