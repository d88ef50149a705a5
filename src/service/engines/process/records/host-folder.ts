import { join } from "node:path";
import type { VolumeSource } from "../../../workloads/runtime.ts";
import { pathSegment } from "../../../workloads/state/path-segment.ts";

/** The folder of a volume. It is kept when its workload is deleted, like a host path. */
export function volumeFolder(dataDir: string, source: VolumeSource): string {
  const { username, name } = source;
  if (source.kind === "volume") return join(dataDir, "volumes", pathSegment(username), pathSegment(name));
  return join(dataDir, "disks", pathSegment(username), pathSegment(source.region), pathSegment(name));
}

/** The working folder of a workload's processes, removed with the workload. */
export function workFolder(dataDir: string, uid: string): string {
  return join(workFolders(dataDir), pathSegment(uid));
}

export function workFolders(dataDir: string): string {
  return join(dataDir, "work");
}
