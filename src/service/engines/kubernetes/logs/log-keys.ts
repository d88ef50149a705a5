import type { LoggedWorkload } from "./region-logs.ts";

type InNamespace = Pick<LoggedWorkload, "region" | "namespace">;

/** All logs of a namespace in the log store begin with this, so that each namespace is cleaned up on its own. */
export function namespaceKey({ region, namespace }: InNamespace): string {
  return `${region}/${namespace}/`;
}

/** A workload's name in the log store: its uid, so one that is created again has a log of its own. */
export function logKey(workload: InNamespace & Pick<LoggedWorkload, "uid">): string {
  return namespaceKey(workload) + workload.uid;
}
