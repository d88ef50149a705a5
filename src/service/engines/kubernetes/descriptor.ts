import { z } from "zod";
import { describeEngine } from "../../engine-descriptor.ts";
import { kubernetesLimits } from "./cluster/cluster-config.ts";

const OWN_QUOTAS = "Kubernetes has its own quotas: put a ResourceQuota into the user's namespace.";

const NOT_COLLECTED = "Logs are no longer collected, but read live or from Loki.";

const variables = {
  SERVICE_CLUSTERS: {
    schema: z.string(),
    unset: "the kubeconfig's current context",
    meaning:
      "The path of a YAML file with the clusters of `SERVICE_ENGINE=kubernetes`, see [Kubernetes](kubernetes.md).",
    elsewhere: "It is the file of the clusters.",
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
  retired: {
    SERVICE_DATABASE_URL: `${NOT_COLLECTED} Unset it, and drop the schema gantry_logs of that database.`,
    SERVICE_DATABASE_TLS: `${NOT_COLLECTED} Unset it.`,
    SERVICE_DATABASE_CA: `${NOT_COLLECTED} Unset it.`,
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
  settings: (values) => ({
    /** The file of SERVICE_CLUSTERS; undefined for the kubeconfig's current context. */
    clustersPath: values.SERVICE_CLUSTERS,
  }),
  async open(settings, parts) {
    // Its client takes a third of a second and 85 MB, which a start without Kubernetes needn't spend.
    const { startKubernetes } = await import("./kubernetes-engine.ts");
    return await startKubernetes(settings, parts);
  },
});

function limitsBySettings() {
  const bare = {
    domains: { by: "none" },
    ports: { by: "cluster" },
    disks: undefined,
    hostPath: undefined,
  } as const;
  const full = {
    domains: { by: "ingress" },
    ports: { by: "load-balancer" },
    disks: { storageClass: "fast", size: "10Gi" },
    hostPath: "/srv",
  } as const;
  return { bare: kubernetesLimits({ ...bare, jobs: true }), full: kubernetesLimits({ ...full, jobs: true }) };
}
