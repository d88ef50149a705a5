import type { LokiInFile, RegionInFile } from "../config/clusters-schema.ts";
import type { Limit } from "../../../engine.ts";

/** Changes that Gantry may make to workloads it didn't create. All are off by default. */
export type AdoptedChange = RegionInFile["adopt"]["allow"][number];

/** The namespaces of a user in a region. */
export type UserNamespaces = {
  /** New workloads are made in the first. */
  readonly names: readonly [string, ...string[]];
  /** A label selector: namespaces of the cluster that it matches are the user's too, also those that come later. */
  readonly labels?: string | undefined;
};

/** Of one user in one region: each is watched for up to ten kinds of objects. */
export const MOST_NAMESPACES = 50;

type AsInFile = "context" | "domains" | "ports" | "hostPath" | "jobs" | "defaults" | "rollouts";

/** The clusters of SERVICE_CLUSTERS, one per region. */
export type ClusterConfig = Readonly<Pick<RegionInFile, AsInFile>> & {
  readonly region: string;
  /** `default`: KUBECONFIG, ~/.kube/config or the pod's own account, as kubectl; `in-cluster`: the pod's own account. */
  readonly kubeconfig: "default" | "in-cluster" | { readonly path: string };
  /** Undefined if the user has none in this region. No two users share one. */
  readonly namespacesOf: (username: string) => UserNamespaces | undefined;
  /** For disks that don't exist yet; without it, a service can use existing claims only. */
  readonly disks: { readonly storageClass: string; readonly size: string } | undefined;
  /** Claims that Gantry didn't make and services may use; without it, none. */
  readonly claims?: readonly string[] | undefined;
  /** Workloads that Gantry did not create: `none`, those that a label selector matches, or `all` of the namespace. */
  readonly adopt: { readonly workloads: string; readonly allow: readonly AdoptedChange[] };
  /** Whether their securityContext fits PodSecurity `restricted`; `auto`, or undefined: where the namespace enforces it. */
  readonly podSecurity?: RegionInFile["podSecurity"] | undefined;
  /** Where logs are read; from Kubernetes if undefined. */
  readonly logs?: { readonly loki: LokiConfig } | undefined;
  /** The file says so, as for earlier versions. */
  readonly wantsCollector?: true;
};

export type Rollouts = { readonly [S in keyof NonNullable<RegionInFile["rollouts"]>]-?: number };
export type PodDefaults = NonNullable<RegionInFile["defaults"]>;
export type SecurityContext = NonNullable<PodDefaults["securityContext"]>;

/** A Loki that has the lines of the cluster's pods. */
export type LokiConfig = Omit<LokiInFile, "by" | "authorizationFile"> & {
  /** The header Authorization. */
  readonly authorization?: string | undefined;
};

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
