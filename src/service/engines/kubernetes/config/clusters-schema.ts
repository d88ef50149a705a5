import { z } from "zod";
import { parseLabelSelector } from "../read/label-selector.ts";
import { quantityMib } from "../read/containers.ts";

/**
 * The file of SERVICE_CLUSTERS. Messages complete the place: `regions.us.jobs must be true or false`. Unknown keys are
 * errors, because a misspelt one would silently mean its default.
 */
const name = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}`);
const yesNo = z.boolean("must be true or false");
const byWord = (value: unknown): unknown => (typeof value === "string" ? { by: value } : value);

/** How domains are routed. */
const Domains = z.preprocess(
  byWord,
  z.discriminatedUnion(
    "by",
    [
      z.strictObject({ by: z.literal("none") }),
      z.strictObject({ by: z.literal("ingress"), class: name("the name of an IngressClass").optional() }),
      z.strictObject({
        by: z.literal("gateway"),
        gateway: name("the name of a Gateway"),
        namespace: name("the namespace of the Gateway").optional(),
      }),
    ],
    { error: "must be none, {by: ingress, class: NAME} or {by: gateway, gateway: NAME, namespace: NAME}" },
  ),
);

/**
 * How a port mapping is reached: `cluster` gives an address inside the cluster, `node-port` a port of `host`,
 * `load-balancer` the address that the cluster's load balancer assigns.
 */
const Ports = z.preprocess(
  byWord,
  z.discriminatedUnion(
    "by",
    [
      z.strictObject({ by: z.literal("cluster") }),
      z.strictObject({ by: z.literal("load-balancer") }),
      z.strictObject({ by: z.literal("node-port"), host: name("the address of a node, like 10.0.0.5") }),
    ],
    { error: "must be cluster, load-balancer or {by: node-port, host: ADDRESS}" },
  ),
);

function checkSelector(text: string, context: z.RefinementCtx): void {
  try {
    if (text !== "none" && text !== "all") parseLabelSelector(text);
  } catch (error) {
    context.addIssue(
      `must be none, all or a label selector: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const Adopt = z.preprocess(
  (value) => (typeof value === "string" ? { workloads: value } : value),
  z.strictObject(
    {
      workloads: name("none, all or a label selector like team=shop").superRefine(checkSelector),
      allow: z
        .array(
          z.enum(["delete", "memory", "image"], "must be delete, memory or image"),
          "must be a list, like [memory, image]",
        )
        .default([]),
    },
    "must be none, all or {workloads: all, allow: [memory, image]}",
  ),
);

const Loki = z.strictObject({
  by: z.literal("loki"),
  url: z.url({ protocol: /^https?$/u, error: "must be the URL of Loki, without /loki/api/v1" }),
  tenant: name("the tenant, for X-Scope-OrgID").optional(),
  authorizationFile: name("the path of a file with the header Authorization").optional(),
  /** The stream labels that hold the namespace and the name of a pod. */
  labels: z
    .strictObject({ namespace: name("a stream label"), pod: name("a stream label") })
    .default({ namespace: "namespace", pod: "pod" }),
  /** The server's `max_entries_limit_per_query`; 5,000. */
  maxEntries: z.int("must be Loki's max_entries_limit_per_query").min(1).optional(),
});
export type LokiInFile = z.output<typeof Loki>;

const Logs = z.preprocess(
  byWord,
  z.discriminatedUnion(
    "by",
    [
      z.strictObject({ by: z.literal("live") }),
      // Of earlier versions.
      z.strictObject({ by: z.literal("collector") }),
      Loki,
    ],
    { error: "must be live or {by: loki, url: URL}" },
  ),
);

const size = z.string("must be a size like 10Gi").regex(/^[1-9]\d*(?:[KMGT]i|[kMGT])?$/u, "must be a size like 10Gi");

const cpu = z
  .union([z.string(), z.number()], "must be CPUs, like 500m or 0.5")
  .transform(String)
  .refine(
    (text) => /^(?:[1-9]\d{0,6}m|\d{1,4}(?:\.\d{1,3})?)$/u.test(text) && milliCpus(text) > 0,
    "must be CPUs, like 500m or 0.5",
  );
const memory = z
  .string("must be a size with its unit, like 128Mi")
  .regex(/^[1-9]\d{0,8}(?:[KMGT]i|[kMGT])$/u, "must be a size with its unit, like 128Mi");
const Amounts = z.strictObject(
  { cpu: cpu.optional(), memory: memory.optional() },
  "must be amounts, like {cpu: 100m, memory: 64Mi}",
);

function milliCpus(text: string): number {
  return text.endsWith("m") ? Number(text.slice(0, -1)) : Math.round(Number(text) * 1_000);
}

const id = z.int("must be a number").min(0, "must be a number");
const capabilities = z.array(name("a capability"), "must be a list of capabilities, like [ALL]").readonly().optional();

/** https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#security-context */
const SecurityContext = z.strictObject(
  {
    runAsUser: id.optional(),
    runAsGroup: id.optional(),
    fsGroup: id.optional(),
    runAsNonRoot: yesNo.optional(),
    seccompProfile: z
      .strictObject(
        {
          type: z.enum(
            ["RuntimeDefault", "Unconfined", "Localhost"],
            "must be RuntimeDefault, Unconfined or Localhost",
          ),
          localhostProfile: name("the path of a profile").optional(),
        },
        "must be {type: RuntimeDefault}",
      )
      .optional(),
    allowPrivilegeEscalation: yesNo.optional(),
    readOnlyRootFilesystem: yesNo.optional(),
    capabilities: z.strictObject({ drop: capabilities, add: capabilities }, "must be {drop: [ALL]}").optional(),
  },
  "must be settings, like {runAsUser: 1000}",
);

/** What pods that Gantry makes have beside what was asked for. A limit of memory is for containers that name none. */
const Defaults = z
  .strictObject(
    { requests: Amounts.optional(), limits: Amounts.optional(), securityContext: SecurityContext.optional() },
    "must be {requests: {cpu: 100m}, limits: {cpu: 500m}, securityContext: {runAsUser: 1000}}",
  )
  .superRefine(({ requests, limits }, context) => {
    const isMore = (of: (text: string) => number, key: "cpu" | "memory"): boolean => {
      const [requested, limit] = [requests?.[key], limits?.[key]];
      return requested !== undefined && limit !== undefined && of(requested) > of(limit);
    };
    const problem = (key: string) => context.addIssue({ code: "custom", path: ["requests", key], message: MORE });
    if (isMore(milliCpus, "cpu")) problem("cpu");
    if (isMore((text) => quantityMib(text) ?? 0, "memory")) problem("memory");
  });
const MORE = "must not be more than its limit: Kubernetes refuses that";

/** Kubernetes kills a pod 30 s after it was told to end, and its program needs the rest of them. */
const LONGEST_PRE_STOP = 20;

const seconds = (what: string, least: number, most: number) => {
  const must = `must be seconds from ${least} to ${most}: ${what}`;
  return z.int(must).min(least, must).max(most, must).optional();
};
/** How the pods of services that Gantry makes are replaced; see write/service-manifests.ts for what it is without it. */
const Rollouts = z.strictObject(
  {
    progressDeadlineSeconds: seconds("a rollout without progress for so long is stuck", 10, 86_400),
    preStopSeconds: seconds("so long a pod serves after it was told to end", 0, LONGEST_PRE_STOP),
  },
  "must be {progressDeadlineSeconds: 120, preStopSeconds: 5}",
);

const NAMESPACE = "a namespace, like gantry-{user}";
/** A list is for every user, a map for those that it names: a user can't be taken for a namespace. */
const Names = z.tuple([name(NAMESPACE)], name(NAMESPACE));

const Region = z.strictObject(
  {
    kubeconfig: name("in-cluster or the path of a kubeconfig").optional(),
    /** The current one without it. */
    context: name("the name of a context of the kubeconfig").optional(),
    namespace: name(NAMESPACE).optional(),
    namespaces: z
      .union([Names, z.record(z.string(), z.union([name(NAMESPACE), Names]))], {
        error:
          "must be a list like [shop, payments], or users with their namespaces like {dana: team-dana, alex: [a, b]}",
      })
      .optional(),
    namespaceLabels: name("a label selector of namespaces, like team=shop").optional(),
    domains: Domains.default({ by: "none" }),
    ports: Ports.default({ by: "cluster" }),
    disks: z
      .strictObject(
        {
          storageClass: name("the name of a StorageClass").optional(),
          size: size.optional(),
          claims: z.array(name("the name of a claim"), "must be a list of claims, like [shop-data]").default([]),
        },
        "must be {storageClass: NAME, size: 10Gi, claims: [NAME]}",
      )
      .refine(
        (disks) => (disks.storageClass === undefined) === (disks.size === undefined),
        "must have both storageClass and size, or neither",
      )
      .optional(),
    /** Where volumes of jobs are on the nodes, if hostPath is allowed. Also allows `sync_timezone`. */
    hostPath: z
      .string("must be a folder of the nodes, like /srv/gantry")
      .regex(/^\/[^\0]*$/u, "must be a folder of the nodes, like /srv/gantry")
      .optional(),
    jobs: yesNo.default(false),
    logs: Logs.default({ by: "live" }),
    adopt: Adopt.default({ workloads: "none", allow: [] }),
    defaults: Defaults.optional(),
    rollouts: Rollouts.optional(),
    podSecurity: z.enum(["auto", "restricted", "none"], "must be auto, restricted or none").default("auto"),
  },
  "must have settings, at least namespace or namespaces",
);
export type RegionInFile = z.output<typeof Region>;

export const ClustersFile = z.strictObject(
  { regions: z.record(z.string(), Region, "must have regions by name, like us") },
  "must have the key regions",
);
export type ClustersInFile = z.output<typeof ClustersFile>;

/** Keys that each place knows, for a suggestion; `*` is any name. */
export const knownKeys: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(ClustersFile.shape),
  "regions.*": Object.keys(Region.shape),
  "regions.*.domains": ["by", "class", "gateway", "namespace"],
  "regions.*.ports": ["by", "host"],
  "regions.*.logs": ["by", "url", "tenant", "authorizationFile", "labels", "maxEntries"],
  "regions.*.logs.labels": ["namespace", "pod"],
  "regions.*.disks": ["storageClass", "size", "claims"],
  "regions.*.adopt": ["workloads", "allow"],
  "regions.*.defaults": Object.keys(Defaults.shape),
  "regions.*.rollouts": Object.keys(Rollouts.shape),
  "regions.*.defaults.requests": Object.keys(Amounts.shape),
  "regions.*.defaults.limits": Object.keys(Amounts.shape),
  "regions.*.defaults.securityContext": Object.keys(SecurityContext.shape),
  "regions.*.defaults.securityContext.seccompProfile": ["type", "localhostProfile"],
  "regions.*.defaults.securityContext.capabilities": ["drop", "add"],
};
