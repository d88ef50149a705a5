import type { Clock } from "../../../../platform/clock.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import { kubeConfigOf } from "../cluster/connect.ts";

/**
 * The cluster of the kubeconfig's current context, as kubectl would use it: one region, one namespace, everything in it
 * adopted. Throws an Error with a sentence when there is no such context.
 */
export async function currentContext(users: readonly string[], clock: Clock): Promise<ClusterConfig> {
  const [user, ...others] = users;
  if (others.length > 0) {
    const todo = "write the clusters and a namespace for each user into a file, and set SERVICE_CLUSTERS to its path";
    throw new Error(
      `Nothing was started: ${users.length} users would share one namespace. Either keep one user, or ${todo}.`,
    );
  }
  const config = await kubeConfigOf({ kubeconfig: "default", context: undefined }, clock).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Nothing was started: ${why}. ${HOW}`, { cause: error });
  });
  const context = config.getCurrentContext();
  const namespace = config.getContextObject(context)?.namespace ?? "default";
  return {
    region: regionName(context),
    kubeconfig: "default",
    // By name: a switch to another context while Gantry runs must not move it to another cluster.
    context,
    namespacesOf: (username) => (username === user ? { names: [namespace] } : undefined),
    domains: { kind: "none" },
    ports: { kind: "cluster" },
    disks: undefined,
    hostPath: undefined,
    jobs: true,
    adopt: { which: "all", allow: [] },
  };
}

const HOW =
  "Check KUBECONFIG or ~/.kube/config with `kubectl config get-contexts`, choose a cluster with " +
  "`kubectl config use-context NAME`, or set SERVICE_CLUSTERS to a file of clusters.";

/** A region from the name of a context: cloud providers put accounts and paths into it. */
export function regionName(context: string): string {
  const [last = ""] = context.split("/").slice(-1);
  const name = last
    .replaceAll(/[^\w-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+/u, "")
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/u, "");
  return name === "" ? "cluster" : name;
}
