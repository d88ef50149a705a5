import type { Limit } from "../../engine.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";

/** For people, also in refusals. */
export const TITLE = "Kubernetes";

type Configured = Pick<ClusterConfig, "domains" | "ports" | "disks" | "hostPath" | "jobs">;

/** What a region can't honour, by its configuration. Each line says what would change it. */
export function kubernetesLimits({ domains, ports, disks, hostPath, jobs }: Configured): readonly Limit[] {
  const limits: Limit[] = [];
  if (domains.by === "none") limits.push({ feature: "domains", effect: "refused", why: NO_ROUTES });
  if (ports.by === "cluster") limits.push({ feature: "ports", effect: "partly", why: INSIDE });
  if (!disks) limits.push({ feature: "disks", effect: "partly", why: OLD_DISKS });
  limits.push({ feature: "sharedDisks", effect: "partly", why: ONE_NODE });
  if (hostPath === undefined) {
    if (jobs) limits.push({ feature: "jobVolumes", effect: "refused", why: NO_HOST_PATH });
    limits.push({ feature: "timezone", effect: "refused", why: NO_HOST_PATH });
  }
  return limits;
}

const NO_ROUTES = "nothing routes domains here: set domains in SERVICE_CLUSTERS";
const INSIDE = "a port mapping gets an address inside the cluster: set ports in SERVICE_CLUSTERS for others";
const OLD_DISKS =
  "only claims listed in disks.claims of SERVICE_CLUSTERS can be used: set its storageClass for new ones";
const ONE_NODE = "several instances share a disk only if it is read-only, or if its claim is ReadWriteMany";
const NO_HOST_PATH = "it needs files of the node: set hostPath in SERVICE_CLUSTERS, where the cluster allows it";
