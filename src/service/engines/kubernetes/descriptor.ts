import { z } from "zod";
import {
  type DatabaseAddress,
  databaseTls,
  hasValidEscapes,
  urlSecrets,
} from "../../../platform/database/database-tls.ts";
import type { Given } from "../../../platform/settings.ts";
import { describeEngine, type ValuesOf } from "../../engine-descriptor.ts";
import { kubernetesLimits } from "./limits.ts";

const LOGS_ELSEWHERE = "The other engines keep their logs in GANTRY_DATA.";
const OWN_QUOTAS = "Kubernetes has its own quotas: put a ResourceQuota into the user's namespace.";

const variables = {
  SERVICE_CLUSTERS: {
    schema: z.string(),
    unset: "the kubeconfig's current context",
    meaning:
      "The path of a YAML file with the clusters of `SERVICE_ENGINE=kubernetes`, see [Kubernetes](kubernetes.md).",
    elsewhere: "It is the file of the clusters.",
  },
  SERVICE_DATABASE_URL: {
    schema: z
      .string()
      .refine((text) => URL.canParse(text) && /^postgres(?:ql)?:$/u.test(new URL(text).protocol), {
        error: "must be a URL like postgres://user:password@host:5432/gantry (default: a file in GANTRY_DATA)",
        abort: true,
      })
      .refine(hasValidEscapes, { error: "has an invalid percent encoding. Write a % in the password as %25" }),
    unset: "SQLite in GANTRY_DATA",
    meaning:
      "`postgres://…` for the logs of `SERVICE_ENGINE=kubernetes`. Needed for several replicas of the workload API.",
    elsewhere: LOGS_ELSEWHERE,
    secrets: urlSecrets,
  },
  SERVICE_DATABASE_TLS: {
    schema: z.enum(["off", "verify", "unverified"], "must be verify, unverified or off"),
    unset: "from SERVICE_DATABASE_URL, else off",
    meaning: "As `DATABASE_TLS`.",
    elsewhere: LOGS_ELSEWHERE,
  },
  SERVICE_DATABASE_CA: {
    schema: z.string(),
    unset: "from SERVICE_DATABASE_URL, else the system's",
    meaning: "As `DATABASE_CA`.",
    elsewhere: LOGS_ELSEWHERE,
  },
};

export const kubernetesEngine = describeEngine({
  name: "kubernetes",
  title: "Kubernetes",
  runs: "your own clusters, see [Kubernetes](kubernetes.md)",
  variables,
  refuses: {
    SERVICE_USER_INSTANCES: OWN_QUOTAS,
    SERVICE_USER_MEMORY_MIB: OWN_QUOTAS,
    SERVICE_HOST_INSTANCES: OWN_QUOTAS,
    SERVICE_HOST_MEMORY_MIB: OWN_QUOTAS,
  },
  regions: {
    from: "engine",
    why: "The regions of Kubernetes are those of SERVICE_CLUSTERS, or the kubeconfig's current context.",
    whose: "the regions are those of its clusters",
  },
  isTrial: false,
  says: {
    running: "a workload API on your Kubernetes cluster: what you change there is real.",
    afterStop: "Workloads run on in the cluster.",
    place: "The cluster",
    withSimulatedSlack:
      "WARNING: Slack is simulated, but the cluster is real. Commands in the playground change its workloads.",
  },
  setup: {
    label: "A Kubernetes cluster",
    hint: "your kubeconfig's current context",
    options: { clusters: { variable: "SERVICE_CLUSTERS", value: "FILE" } },
  },
  docs: { page: "docs/kubernetes.md", limits: limitsBySettings },
  problems: logDatabaseProblems,
  settings: (values) => ({
    /** The file of SERVICE_CLUSTERS; undefined for the kubeconfig's current context. */
    clustersPath: values.SERVICE_CLUSTERS,
    /** A PostgreSQL database for the logs; undefined for a file. */
    database: logDatabaseOf(values),
  }),
  async open(settings, parts) {
    // Its client takes a third of a second and 85 MB, which a start without Kubernetes needn't spend.
    const { startKubernetes } = await import("./kubernetes-engine.ts");
    return await startKubernetes(settings, parts);
  },
});

/** Call `logDatabaseProblems` first: it reports invalid settings. */
function logDatabaseOf(values: ValuesOf<typeof variables>): DatabaseAddress | undefined {
  const { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TLS: tls, SERVICE_DATABASE_CA: caFile } = values;
  if (url === undefined) return undefined;
  const resolved = databaseTls({ url, tls, caFile }, "SERVICE_DATABASE");
  if ("problem" in resolved) throw new Error(resolved.problem);
  return { url, tls: resolved.tls };
}

const LogDatabase = z.object({
  SERVICE_DATABASE_URL: variables.SERVICE_DATABASE_URL.schema,
  SERVICE_DATABASE_TLS: variables.SERVICE_DATABASE_TLS.schema.optional(),
  SERVICE_DATABASE_CA: variables.SERVICE_DATABASE_CA.schema.optional(),
});

function logDatabaseProblems(given: Given): string[] {
  const parsed = LogDatabase.safeParse(given);
  if (!parsed.success) {
    const alone = ["SERVICE_DATABASE_TLS", "SERVICE_DATABASE_CA"].filter((name) => given[name] !== undefined);
    return given["SERVICE_DATABASE_URL"] === undefined
      ? alone.map((name) => `${name} needs SERVICE_DATABASE_URL. Set it, or unset ${name}.`)
      : [];
  }
  const { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TLS: tls, SERVICE_DATABASE_CA: caFile } = parsed.data;
  const resolved = databaseTls({ url, tls, caFile }, "SERVICE_DATABASE");
  return "problem" in resolved ? [resolved.problem] : [];
}

function limitsBySettings() {
  const bare = {
    domains: { kind: "none" },
    ports: { kind: "cluster" },
    disks: undefined,
    hostPath: undefined,
  } as const;
  const full = {
    domains: { kind: "ingress", ingressClass: undefined },
    ports: { kind: "load-balancer" },
    disks: { storageClass: "fast", size: "10Gi" },
    hostPath: "/srv",
  } as const;
  return { bare: kubernetesLimits({ ...bare, jobs: true }), full: kubernetesLimits({ ...full, jobs: true }) };
}
