import type { Job, Service } from "../../api/answers.ts";
import type { AccountApi } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { WorkloadRef } from "./change.ts";
import { jobSnapshot, serviceSnapshot, type Snapshot } from "./updatable-fields.ts";

export type ReadDeps = { readonly api: AccountApi; readonly signal: AbortSignal };

/** Without a service and a job, the workload doesn't exist. */
export type WorkloadRead = { readonly service?: Service | undefined; readonly job?: Job | undefined };

export type SnapshotRead = { readonly snapshot: Snapshot; readonly read: WorkloadRead };

/** Reads a workload with one call. A 404 is an answer; any other `Problem` is returned, not thrown. */
export async function readWorkload(
  { kind, region, name }: WorkloadRef,
  { api, signal }: ReadDeps,
): Promise<WorkloadRead | Problem> {
  try {
    if (kind === "job") {
      const path = { region, job_name: name };
      return { job: await api.send({ op: "getJob", path, query: undefined, body: undefined }, { signal }) };
    }
    const path = { region, service_name: name };
    return { service: await api.send({ op: "getService", path, query: undefined, body: undefined }, { signal }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status === 404 ? {} : error;
  }
}

/** `readWorkload`, reduced to the fields that a write can change or depends on. */
export async function readSnapshot(workload: WorkloadRef, deps: ReadDeps): Promise<SnapshotRead | Problem> {
  const read = await readWorkload(workload, deps);
  if (read instanceof Problem) return read;
  if (read.job !== undefined) return { snapshot: jobSnapshot(read.job), read };
  return { snapshot: read.service === undefined ? undefined : serviceSnapshot(read.service), read };
}
