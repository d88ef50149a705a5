/** Changes that Gantry may make to workloads it didn't create. All are off by default. */
export type AdoptedChange = "delete" | "memory" | "image";

/** The namespaces of a user in a region. */
export type UserNamespaces = {
  /** New workloads are made in the first. */
  readonly names: readonly [string, ...string[]];
  /** A label selector: namespaces of the cluster that it matches are the user's too, also those that come later. */
  readonly labels?: string | undefined;
};

/** The clusters of SERVICE_CLUSTERS, one per region. */
export type ClusterConfig = {
  readonly region: string;
  /** `default`: KUBECONFIG, ~/.kube/config or the pod's own account, as kubectl; `in-cluster`: the pod's own account. */
  readonly kubeconfig: "default" | "in-cluster" | { readonly path: string };
  /** The current one if undefined. */
  readonly context: string | undefined;
  /** Undefined if the user has none in this region. No two users share one. */
  readonly namespacesOf: (username: string) => UserNamespaces | undefined;
  /** How domains are routed. */
  readonly domains:
    | { readonly kind: "none" }
    | { readonly kind: "ingress"; readonly ingressClass: string | undefined }
    | { readonly kind: "gateway"; readonly gateway: { readonly name: string; readonly namespace: string | undefined } };
  /**
   * How a port mapping is reached: `cluster` gives an address inside the cluster, `node-port` a port of `host`,
   * `load-balancer` the address that the cluster's load balancer assigns.
   */
  readonly ports:
    | { readonly kind: "cluster" }
    | { readonly kind: "node-port"; readonly host: string }
    | { readonly kind: "load-balancer" };
  /** For disks that don't exist yet; without it, a service can use existing claims only. */
  readonly disks: { readonly storageClass: string; readonly size: string } | undefined;
  /** Claims that Gantry didn't make and services may use; without it, none. */
  readonly claims?: readonly string[] | undefined;
  /** Where volumes of jobs are on the nodes; undefined where hostPath is not allowed. Also allows `sync_timezone`. */
  readonly hostPath: string | undefined;
  /** Whether jobs run here. */
  readonly jobs: boolean;
  /** Workloads that Gantry did not create: none, those with these labels, or all of the namespace. */
  readonly adopt: {
    readonly which: "none" | "all" | { readonly selector: string };
    readonly allow: readonly AdoptedChange[];
  };
  /** What pods that Gantry makes have beside what was asked for; without it, nothing. */
  readonly defaults?: PodDefaults | undefined;
  /** How the pods of services that Gantry makes are replaced; see write/service-manifests.ts for what it is without it. */
  readonly rollouts?: { readonly [S in keyof Rollouts]?: number | undefined } | undefined;
  /** Whether their securityContext fits PodSecurity `restricted`; `auto`, or undefined: where the namespace enforces it. */
  readonly podSecurity?: "auto" | "restricted" | "none" | undefined;
  /** Where logs are read; from Kubernetes if undefined. */
  readonly logs?: { readonly loki: LokiConfig } | undefined;
  /** The file says so, as for earlier versions. */
  readonly wantsCollector?: true;
};

export type Rollouts = {
  /** A rollout without progress for this long is told as stuck. */
  readonly progressDeadlineSeconds: number;
  /** A pod serves for this long after it was told to end, until nobody is sent there any more; 0 for not at all. */
  readonly preStopSeconds: number;
};

export type PodDefaults = {
  readonly requests?: Amounts | undefined;
  /** The memory is for containers whose request names none. */
  readonly limits?: Amounts | undefined;
  /** Fields of pods and of containers: each goes where Kubernetes has it. */
  readonly securityContext?: SecurityContext | undefined;
};

/** Quantities of Kubernetes: `500m`, `64Mi`. */
type Amounts = { readonly cpu?: string | undefined; readonly memory?: string | undefined };

export type SecurityContext = {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly fsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly seccompProfile?: { readonly type: string; readonly localhostProfile?: string | undefined } | undefined;
  readonly allowPrivilegeEscalation?: boolean | undefined;
  readonly readOnlyRootFilesystem?: boolean | undefined;
  readonly capabilities?:
    | { readonly drop?: readonly string[] | undefined; readonly add?: readonly string[] | undefined }
    | undefined;
};

/** A Loki that has the lines of the cluster's pods. */
export type LokiConfig = {
  /** Without `/loki/api/v1`. */
  readonly url: string;
  /** The header X-Scope-OrgID. */
  readonly tenant?: string | undefined;
  /** The header Authorization. */
  readonly authorization?: string | undefined;
  /** The stream labels that hold the namespace and the name of a pod. */
  readonly labels: { readonly namespace: string; readonly pod: string };
  /** The server's `max_entries_limit_per_query`; 5,000. */
  readonly maxEntries?: number | undefined;
};
