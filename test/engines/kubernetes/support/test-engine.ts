import type { OpenedEngine } from "../../../../src/service/engine.ts";
import type {
  ClusterConfig,
  UserNamespaces,
} from "../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { openKubernetesEngine } from "../../../../src/service/engines/kubernetes/kubernetes-engine.ts";

export type TestEngineOptions = {
  readonly kubeconfig: string;
  /** By user, then by region. */
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string | UserNamespaces>>>>;
  /** Whether workloads are adopted that Gantry did not create; not without it. */
  readonly adopt?: "all" | undefined;
  readonly settings?: Partial<ClusterConfig> | undefined;
};

/** The Kubernetes engine. `events` are what an operator reads in the log. */
export async function openTestEngine({
  kubeconfig,
  namespaces,
  adopt,
  settings = {},
}: TestEngineOptions): Promise<OpenedEngine & { readonly events: readonly string[] }> {
  const events: string[] = [];
  const clusters = ["us", "beijing1"].map((region): ClusterConfig => ({
    region,
    kubeconfig: { path: kubeconfig },
    context: undefined,
    namespacesOf(username) {
      const own = namespaces[username]?.[region];
      return typeof own === "string" ? { names: [own] } : own;
    },
    domains: { by: "ingress" },
    ports: { by: "cluster" },
    // No such class is needed: nothing in these tests waits for its volume.
    disks: { storageClass: "manual", size: "1Mi" },
    hostPath: undefined,
    jobs: region === "us",
    adopt: { workloads: adopt ?? "none", allow: [] },
    ...settings,
  }));
  const opened = await openKubernetesEngine({
    clusters,
    users: Object.keys(namespaces),
    onEvent: (message, data) => void events.push(`${message} ${textOf(data)}`),
  });
  return { ...opened, events };
}

function textOf(data: object): string {
  return Object.values(data)
    .map((value: unknown) => (value instanceof Error ? value.message : JSON.stringify(value)))
    .join(" ");
}
