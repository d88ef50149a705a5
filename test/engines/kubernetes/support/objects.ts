import type { TestCluster } from "../../../support/cluster.ts";
import type { KubeItem } from "../../../support/kube-call.ts";

/** An object of a namespace, whoever made it. */
export type Found = { readonly kind: string; readonly name: string; readonly item: KubeItem };

const places: Readonly<Record<string, string>> = {
  Deployment: "apis/apps/v1/namespaces/NAMESPACE/deployments",
  ReplicaSet: "apis/apps/v1/namespaces/NAMESPACE/replicasets",
  Job: "apis/batch/v1/namespaces/NAMESPACE/jobs",
  Pod: "api/v1/namespaces/NAMESPACE/pods",
  Service: "api/v1/namespaces/NAMESPACE/services",
  Ingress: "apis/networking.k8s.io/v1/namespaces/NAMESPACE/ingresses",
};

/** Everything in a namespace that a workload consists of; disks are kept when theirs is deleted, so they are not in it. */
export async function objectsOf({ listed }: Pick<TestCluster, "listed">, namespace: string): Promise<readonly Found[]> {
  const lists = Object.entries(places).map(async ([kind, place]) => {
    const items = await listed(`/${place.replace("NAMESPACE", namespace)}`);
    return items.map((item) => ({ kind, name: item.metadata.name, item }));
  });
  return (await Promise.all(lists)).flat();
}
