import type { CachedKind } from "../cache/namespace-cache.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";

/** The kinds that services are read from; the cache of a namespace has to hold them. */
export function serviceKinds({ adopt, domains }: Pick<ClusterConfig, "adopt" | "domains">): readonly CachedKind[] {
  return [
    "Deployment",
    "Pod",
    "Service",
    "HorizontalPodAutoscaler",
    // Gantry makes none.
    ...(adopt.which === "none" ? [] : (["StatefulSet", "DaemonSet"] as const)),
    ...(domains.kind === "ingress" ? (["Ingress"] as const) : []),
    ...(domains.kind === "gateway" ? (["HTTPRoute"] as const) : []),
  ];
}

/** The kinds that jobs are read from. */
export function jobKinds({ adopt }: Pick<ClusterConfig, "adopt">): readonly CachedKind[] {
  return ["Job", "Pod", ...(adopt.which === "none" ? [] : (["CronJob"] as const))];
}
