import type { Clock } from "../../../../platform/clock.ts";
import { fewAtOnce } from "../../../../platform/waiting.ts";
import { isOptional } from "../cache/namespace-cache.ts";
import { isDenied } from "../cluster/refusal-of.ts";
import type { ClusterConfig, UserNamespaces } from "../cluster/cluster-config.ts";
import { kubeConfigOf } from "../cluster/connect.ts";
import { type KubeApi, KubeError, type NamespaceFacts, NoCredentials } from "../cluster/kube-api.ts";
import { makeKubeClient } from "../cluster/kube-client.ts";
import { beyondText, byAge, upToMost } from "../region-namespaces.ts";

/** A cluster that answered at the start. */
type CheckedCluster = {
  readonly region: string;
  readonly context: string;
  readonly server: string;
  readonly version: string;
  readonly namespaces: readonly SeenNamespace[];
  readonly notices?: readonly string[];
};

/** Counts of what is there, at most 500 of a kind; or why one that has labels can't be used. */
type SeenNamespace = { readonly name: string } & (
  | {
      readonly workloads: number;
      readonly jobs: number;
      /** It depends on a label that this account may not read. */
      readonly hidesPodSecurity: boolean;
      readonly problem?: never;
    }
  | { readonly problem: string }
);

const MOST = 500;
/** Namespaces that are looked at together, with a few requests each: fifty would make an API server wait or refuse some. */
const AT_ONCE = 8;

/**
 * Asks each cluster for its version and what runs in the users' namespaces, so that a wrong setting is an error at the
 * start and not at three in the morning. Throws an Error with a sentence for each cluster that can't be used.
 */
export async function checkClusters(
  clusters: readonly ClusterConfig[],
  users: readonly string[],
  clock: Clock,
): Promise<readonly CheckedCluster[]> {
  const looked = await Promise.allSettled(clusters.map((cluster) => look(cluster, users, clock)));
  const problems = looked.flatMap((each) => (each.status === "rejected" ? [`${messageOf(each.reason)}.`] : []));
  const found = looked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  problems.push(...sharedNamespaces(found));
  if (problems.length === 0) return found;
  throw new Error(`Nothing was started.\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
}

async function look(cluster: ClusterConfig, users: readonly string[], clock: Clock): Promise<CheckedCluster> {
  const kubeConfig = await kubeConfigOf(cluster, clock).catch((error: unknown) => {
    throw new Error(`Region ${cluster.region}: ${messageOf(error)}. ${whereFrom(cluster)}`);
  });
  const context = kubeConfig.getCurrentContext();
  const api = makeKubeClient({ kubeConfig, clock });
  try {
    const version = await api.version().catch((error: unknown) => {
      throw new Error(unreachable(cluster, { context, server: api.server, error }));
    });
    const own = users.flatMap((user) => cluster.namespacesOf(user) ?? []);
    const selected = await withLabels(api, own, cluster);
    const named = own.flatMap(({ names }) => names.map((name) => () => seen(api, name, cluster)));
    // A namespace that only a label selects is no reason not to start.
    const chosen = selected.names.map(
      (name) => () => seen(api, name, cluster).catch((error: unknown) => ({ name, problem: messageOf(error) })),
    );
    const namespaces = await fewAtOnce([...named, ...chosen], AT_ONCE, (look) => look());
    const notices = [...selected.notices, ...(cluster.wantsCollector ? [uncollected(cluster.region)] : [])];
    return { region: cluster.region, context, server: api.server, version, namespaces, notices };
  } finally {
    api.close();
  }
}

function uncollected(region: string): string {
  return (
    `Region ${region}: logs: collector is no longer possible, so logs are read live from Kubernetes. ` +
    "Write logs: live into SERVICE_CLUSTERS, or read them from Loki: see docs/kubernetes-logs.md."
  );
}

/** The namespaces that the users' labels select now. */
async function withLabels(api: KubeApi, own: readonly UserNamespaces[], { region }: ClusterConfig) {
  const place = { kind: "Namespace", namespace: "" } as const;
  try {
    const chosen = own.map(async ({ labels, names }) => {
      if (labels === undefined) return { names: [], beyond: [] };
      const { items, resourceVersion } = await api.list(place, { labelSelector: labels, limit: MOST });
      await mayWatch(api, resourceVersion);
      const found = items.toSorted(byAge).map(({ metadata }) => metadata.name);
      return upToMost(names, found);
    });
    const all = await Promise.all(chosen);
    return {
      names: all.flatMap(({ names }) => names),
      notices: all.flatMap(({ beyond }) => (beyond.length > 0 ? [`Region ${region}: ${beyondText(beyond)}`] : [])),
    };
  } catch (error) {
    throw new Error(
      `Region ${region}: couldn't look for the namespaces of namespaceLabels at ${api.server}: ${messageOf(error)}. ` +
        (error instanceof KubeError && [401, 403].includes(error.status)
          ? "Give Gantry's account a ClusterRole with list and watch for namespaces: see docs/kubernetes.md."
          : "Start again when the cluster answers."),
      { cause: error },
    );
  }
}

/** Begins a watch and ends it at once, so that a missing right shows at the start. */
async function mayWatch(api: KubeApi, resourceVersion: string): Promise<void> {
  const opened = new AbortController();
  const options = { resourceVersion, timeoutSeconds: 1, onOpen: () => opened.abort(), onEvent: () => undefined };
  await api.watch({ kind: "Namespace", namespace: "" }, options, opened.signal).catch((error: unknown) => {
    if (!opened.signal.aborted) throw error;
  });
}

async function seen(api: KubeApi, name: string, { region, podSecurity }: ClusterConfig): Promise<SeenNamespace> {
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
    const isEmpty = workloads + jobs === 0;
    const isPodSecurityAsked = (podSecurity ?? "auto") === "auto";
    const found = isEmpty || isPodSecurityAsked ? await namespaceAt(api, name, isPodSecurityAsked) : "hidden";
    const hidesPodSecurity = isPodSecurityAsked && typeof found !== "object";
    if (!isEmpty || found !== "missing") return { name, workloads, jobs, hidesPodSecurity };
  } catch (error) {
    throw new Error(
      `Region ${region}: couldn't list what runs in the namespace ${name} at ${api.server}: ${messageOf(error)}. ` +
        (error instanceof KubeError && [401, 403].includes(error.status)
          ? "Give Gantry's account the Role of docs/kubernetes-role.yaml there. If the API server has just started, wait a minute."
          : "Start again when the cluster answers."),
      { cause: error },
    );
  }
  throw new Error(
    `Region ${region}: the cluster at ${api.server} has no namespace ${name}. ` +
      `Create it with \`kubectl create namespace ${name}\`, or name another one`,
  );
}

/** Whether it is there is only a hint: an error of the API server is no reason not to start unless its labels are needed. */
async function namespaceAt(api: KubeApi, name: string, needsLabels: boolean): Promise<NamespaceFacts> {
  try {
    return await api.namespace(name);
  } catch (error) {
    if (needsLabels || !(error instanceof KubeError)) throw error;
    return "hidden";
  }
}

type Tried = { readonly context: string; readonly server: string; readonly error: unknown };

function unreachable(cluster: ClusterConfig, { context, server, error }: Tried): string {
  const tried = `couldn't read the version of the cluster at ${server} (context ${context}): ${messageOf(error)}`;
  const todo =
    error instanceof NoCredentials
      ? "Run it in a shell where Gantry runs, and log in again or correct it."
      : error instanceof KubeError
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
      const who = other === region ? `Users of the region ${region} share` : `The regions ${other} and ${region} are`;
      const todo =
        other === region
          ? "change its labels or the users' namespaces"
          : "give one of them another context or namespace";
      return [`${who} the same namespace ${name} of ${server}: ${todo}.`];
    }),
  );
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\.$/u, "");
}

/** Notices of the start for the operator: one for each namespace, and a warning for an untried version. */
export function foundLines(found: readonly CheckedCluster[]): string[] {
  return found.flatMap(({ region, context, server, version, namespaces, notices = [] }) => [
    ...namespaces.map((each) =>
      each.problem === undefined
        ? `Region ${region}: context ${context} (${server}, ${version}), namespace ${each.name}: ` +
          `${counted(each.workloads, "service")}, ${counted(each.jobs, "job")}`
        : `${each.problem}. Lists leave its workloads out until then.`,
    ),
    ...notices,
    ...namespaces.flatMap((each) =>
      each.problem === undefined && each.hidesPodSecurity ? hidden(region, each.name) : [],
    ),
    ...untried(region, version),
  ]);
}

function hidden(region: string, namespace: string): string {
  return (
    `Region ${region}: Gantry's account may not get the namespace ${namespace}, so it can't see whether PodSecurity ` +
    "restricted is enforced there. New workloads are made without a securityContext for it: give the account that right, " +
    "or set podSecurity to restricted or none in SERVICE_CLUSTERS."
  );
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
