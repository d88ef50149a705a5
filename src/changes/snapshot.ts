import type { Job, Service } from "../api/answers.ts";
import { parseMemoryMiB } from "../api/memory.ts";
import type { Snapshot } from "./change.ts";

/** The fields of a service that a write can change or depends on. Pure. */
export function serviceSnapshot(service: Service): NonNullable<Snapshot> {
  return {
    uid: service.uid ?? undefined,
    status: service.status ?? undefined,
    size: service.target_instance_size ?? undefined,
    memoryMiB: (service.containers ?? []).map((container) => parseMemoryMiB(container.resources?.limits?.memory)),
    domains: service.binding_domain_name ?? [],
  };
}

/** A job can only be created and deleted: what matters is which one it is. Pure. */
export function jobSnapshot(job: Job): NonNullable<Snapshot> {
  return { uid: job.metadata.uid ?? undefined, status: undefined, size: undefined, memoryMiB: [], domains: [] };
}
