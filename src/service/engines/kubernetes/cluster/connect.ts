import type { KubeConfig } from "@kubernetes/client-node";
import type { ClusterConfig } from "./cluster-config.ts";
import type { KubeApi } from "./kube-api.ts";
import { makeKubeClient } from "./kube-client.ts";

/** The kubeconfig of a cluster with its context chosen. Throws an Error with a sentence that says what was tried. */
export async function kubeConfigOf({
  kubeconfig,
  context,
}: Pick<ClusterConfig, "kubeconfig" | "context">): Promise<KubeConfig> {
  // Imported late: it takes a third of a second and 85 MB, which a start without Kubernetes needn't spend.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const name = typeof kubeconfig === "string" ? "the kubeconfig" : `the kubeconfig ${kubeconfig.path}`;
  if (kubeconfig === "in-cluster") config.loadFromCluster();
  else if (kubeconfig === "default") readable(name, () => config.loadFromDefault());
  else readable(name, () => config.loadFromFile(kubeconfig.path));
  if (context !== undefined) {
    if (!config.getContextObject(context)) {
      const known = config.getContexts().map((each) => each.name);
      throw new Error(`${name} has no context ${context}: it has ${known.join(", ") || "none"}`);
    }
    config.setCurrentContext(context);
  }
  refuseMadeUp(config);
  if (!config.getCurrentCluster()) throw new Error(`${name} has no current context: set one`);
  refuseUnknownUser(name, config);
  return config;
}

/** Without a user, @kubernetes/client-node drops the cluster's certificate too, and the error is about that. */
function refuseUnknownUser(name: string, config: KubeConfig): void {
  const context = config.getCurrentContext();
  const user = config.getContextObject(context)?.user ?? "";
  if (user === "" || config.getUser(user)) return;
  const known = config.getUsers().map((each) => each.name);
  throw new Error(
    `${name} has no user ${user}, which its context ${context} names: it has ${known.join(", ") || "none"}`,
  );
}

function readable(name: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    throw new Error(`${name} can't be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Without a kubeconfig or a pod's account, @kubernetes/client-node makes up an address. */
function refuseMadeUp(config: KubeConfig): void {
  const server = config.getCurrentCluster()?.server;
  if (server === "https://undefined:undefined") throw new Error("this process doesn't run in a pod of a cluster");
  if (config.getCurrentContext() === "loaded-context" && server === "http://localhost:8080") {
    throw new Error("there is no kubeconfig: KUBECONFIG isn't set, ~/.kube/config isn't there, and this is no pod");
  }
}

/** A client of the cluster. */
export async function connect(config: Pick<ClusterConfig, "kubeconfig" | "context">): Promise<KubeApi> {
  return makeKubeClient({ kubeConfig: await kubeConfigOf(config) });
}
