import { isOptional } from "../cache/namespace-cache.ts";
import { isDenied } from "../cache/read-refusal.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import { kubeConfigOf } from "../cluster/connect.ts";
import { type KubeApi, KubeError } from "../cluster/kube-api.ts";
import { makeKubeClient } from "../cluster/kube-client.ts";

/** A cluster that answered at the start. */
export type CheckedCluster = {
  readonly region: string;
  readonly context: string;
  readonly server: string;
  readonly version: string;
  readonly namespaces: readonly SeenNamespace[];
};

/** Counts of what is there, at most 500 of a kind. */
type SeenNamespace = { readonly name: string; readonly workloads: number; readonly jobs: number };

const MOST = 500;

/**
 * Asks each cluster for its version and what runs in the users' namespaces, so that a wrong setting is an error at the
 * start and not at three in the morning. Throws an Error with a sentence for each cluster that can't be used.
 */
export async function checkClusters(
  clusters: readonly ClusterConfig[],
  users: readonly string[],
): Promise<readonly CheckedCluster[]> {
  const looked = await Promise.allSettled(clusters.map((cluster) => look(cluster, users)));
  const problems = looked.flatMap((each) => (each.status === "rejected" ? [`${messageOf(each.reason)}.`] : []));
  const found = looked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  problems.push(...sharedNamespaces(found));
  if (problems.length === 0) return found;
  throw new Error(`Nothing was started.\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
}

async function look(cluster: ClusterConfig, users: readonly string[]): Promise<CheckedCluster> {
  const kubeConfig = await kubeConfigOf(cluster).catch((error: unknown) => {
    throw new Error(`Region ${cluster.region}: ${messageOf(error)}. ${whereFrom(cluster)}`);
  });
  const context = kubeConfig.getCurrentContext();
  const api = makeKubeClient({ kubeConfig });
  try {
    const version = await api.version().catch((error: unknown) => {
      throw new Error(unreachable(cluster, { context, server: api.server, error }));
    });
    const names = users.flatMap((user) => cluster.namespaceOf(user) ?? []);
    const namespaces = await Promise.all(names.map((name) => seen(api, name, cluster)));
    return { region: cluster.region, context, server: api.server, version, namespaces };
  } finally {
    api.close();
  }
}

async function seen(api: KubeApi, name: string, { region }: ClusterConfig): Promise<SeenNamespace> {
  const count = async (kind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob"): Promise<number> => {
    try {
      return (await api.list({ kind, namespace: name }, { limit: MOST })).items.length;
    } catch (error) {
      // Each list says that they are missing.
      if (isOptional(kind) && isDenied(error)) return 0;
      throw error;
    }
  };
  const sum = async (...kinds: readonly Parameters<typeof count>[0][]): Promise<number> =>
    (await Promise.all(kinds.map(count))).reduce((total, each) => total + each, 0);
  try {
    const [workloads, jobs] = await Promise.all([sum("Deployment", "StatefulSet", "DaemonSet"), sum("Job", "CronJob")]);
    const isMissing = workloads + jobs === 0 && (await api.hasNamespace(name)) === false;
    if (!isMissing) return { name, workloads, jobs };
  } catch (error) {
    throw new Error(
      `Region ${region}: couldn't list what runs in the namespace ${name} at ${api.server}: ${messageOf(error)}. ` +
        (error instanceof KubeError && [401, 403].includes(error.status)
          ? "Give Gantry's account the Role of docs/kubernetes-role.yaml there."
          : "Start again when the cluster answers."),
      { cause: error },
    );
  }
  throw new Error(
    `Region ${region}: the cluster at ${api.server} has no namespace ${name}. ` +
      `Create it with \`kubectl create namespace ${name}\`, or name another one`,
  );
}

type Tried = { readonly context: string; readonly server: string; readonly error: unknown };

function unreachable(cluster: ClusterConfig, { context, server, error }: Tried): string {
  const tried = `couldn't read the version of the cluster at ${server} (context ${context}): ${messageOf(error)}`;
  const todo =
    error instanceof KubeError
      ? "Check the credentials of this context with `kubectl auth can-i --list`."
      : "Start the cluster, or choose another context.";
  return `Region ${cluster.region}: ${tried}. ${todo} ${whereFrom(cluster)}`;
}

/** Where the cluster's settings come from, so that people know what to change. */
function whereFrom({ kubeconfig }: ClusterConfig): string {
  if (kubeconfig === "in-cluster") return "Read: the pod's own service account.";
  if (kubeconfig !== "default") return "Read: the kubeconfig that SERVICE_CLUSTERS names.";
  return "Read: KUBECONFIG, else ~/.kube/config, else the pod's own account.";
}

/** Regions that are the same namespace of the same cluster would show every workload twice. */
function sharedNamespaces(found: readonly CheckedCluster[]): string[] {
  const taken = new Map<string, string>();
  return found.flatMap(({ region, server, namespaces }) =>
    namespaces.flatMap(({ name }) => {
      const key = JSON.stringify([server, name]);
      const other = taken.get(key);
      taken.set(key, region);
      if (other === undefined) return [];
      return [
        `The regions ${other} and ${region} are the same namespace ${name} of ${server}: give one of them another ` +
          "context or namespace.",
      ];
    }),
  );
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\.$/u, "");
}

/** Notices of the start for the operator: one for each namespace, and a warning for an untried version. */
export function foundLines(found: readonly CheckedCluster[]): string[] {
  return found.flatMap(({ region, context, server, version, namespaces }) => [
    ...namespaces.map(
      ({ name, workloads, jobs }) =>
        `Region ${region}: context ${context} (${server}, ${version}), namespace ${name}: ` +
        `${counted(workloads, "service")}, ${counted(jobs, "job")}`,
    ),
    ...untried(region, version),
  ]);
}

/** The oldest and the newest minor version of Kubernetes 1 on which the tests of this engine have run. */
const OLDEST = 20;
const NEWEST = 36;

function untried(region: string, version: string): string[] {
  const [, minor] = /^v1\.(\d+)\b/u.exec(version) ?? [];
  if (minor !== undefined && Number(minor) >= OLDEST && Number(minor) <= NEWEST) return [];
  return [
    `Region ${region}: Gantry was tried on Kubernetes 1.${OLDEST} and 1.${NEWEST}; ${version} is beyond that. ` +
      "It starts all the same; read the release notes of Kubernetes if something is missing.",
  ];
}

function counted(count: number, noun: string): string {
  const number = count >= MOST ? `at least ${count}` : String(count);
  return `${number} ${noun}${count === 1 ? "" : "s"}`;
}
