import type { AccountApi } from "../api/client.ts";
import { Problem } from "../api/problem.ts";
import type { WorkloadRef } from "./change.ts";
import { jobSnapshot, serviceSnapshot, type Snapshot } from "./snapshot.ts";

export type ReadDeps = { readonly api: AccountApi; readonly signal: AbortSignal };

/** A read that came back; `undefined` stands for a workload that does not exist. */
export type Read = { readonly snapshot: Snapshot };

/** Reads a workload: one call. Resolves to the `Problem` when it could not be read; a 404 is an answer. */
export async function readSnapshot(workload: WorkloadRef, deps: ReadDeps): Promise<Read | Problem> {
  try {
    return { snapshot: await fetchSnapshot(workload, deps) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status === 404 ? { snapshot: undefined } : error;
  }
}

async function fetchSnapshot({ kind, region, name }: WorkloadRef, { api, signal }: ReadDeps): Promise<Snapshot> {
  if (kind === "job") {
    const path = { region, job_name: name };
    return jobSnapshot(await api.send({ op: "getJob", path, query: undefined, body: undefined }, { signal }));
  }
  const path = { region, service_name: name };
  return serviceSnapshot(await api.send({ op: "getService", path, query: undefined, body: undefined }, { signal }));
}
