import { setTimeout as sleep } from "node:timers/promises";
import type { LoggedWorkload, RegionLogs } from "./region-logs.ts";

/** A job is read without its log sooner than it waits for a database that hangs. */
const PATIENCE_MS = 2_000;

/**
 * The instances of a job, oldest first: those whose log can be read, and its pods. Kubernetes deletes the pod of a job that
 * used up its retries, and its log is what people look for then. Never rejects: without the logs, it is the pods.
 */
export async function jobInstances(job: LoggedWorkload, logs: RegionLogs): Promise<readonly string[]> {
  const late = new AbortController();
  const logged = await Promise.race([
    logs.instances(job).catch(() => []),
    sleep(PATIENCE_MS, [], { signal: late.signal }).catch(() => []),
  ]);
  late.abort();
  // Notes about the job as a whole are in its own name.
  const gone = logged.filter((instance) => instance !== job.objectName && !job.pods.includes(instance));
  return [...gone, ...job.pods];
}
