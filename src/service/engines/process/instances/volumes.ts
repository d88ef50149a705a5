import { mkdirSync } from "node:fs";
import type { Container } from "../../../workloads/definitions/container.ts";
import type { HostVolume } from "./launch-plan.ts";

/** The volumes that this container mounts; their folders exist after this. */
export function hostVolumes(volumes: readonly HostVolume[], container: Container): HostVolume[] {
  const mounted = volumes.filter(({ name }) => container.mounts.some((mount) => mount.name === name));
  for (const { path } of mounted) mkdirSync(path, { recursive: true });
  return mounted;
}
