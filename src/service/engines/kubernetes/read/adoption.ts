import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels as names, MANAGED_BY } from "../names.ts";
import { matchesAll, parseLabelSelector } from "./label-selector.ts";

type Metadata = Pick<KubeObject<"Deployment">["metadata"], "name" | "labels">;

/** Whether Gantry created it. Labels that were copied to an object of another name don't count. */
export function isGantrys({ name, labels }: Metadata, label: typeof names.service | typeof names.job): boolean {
  return labels[names.managedBy] === MANAGED_BY && labels[label] === name;
}

/** Which workloads of others exist for the API. */
export function adopter({ which }: ClusterConfig["adopt"]): (of: Metadata) => boolean {
  if (which === "none") return () => false;
  if (which === "all") return () => true;
  const requirements = parseLabelSelector(which.selector);
  return ({ labels }) => matchesAll(requirements, labels);
}
