import type { KubeObject, Pod } from "../cluster/kinds.ts";
import { controllerOf } from "./owner.ts";
import { type ObjectSelector, selects } from "./label-selector.ts";

export type PodIndex = ReadonlyMap<string, readonly Pod[]>;

/** The label with which a Deployment's ReplicaSet names itself: `web-5d4f8c7b9`. */
const TEMPLATE_HASH = "pod-template-hash";

/** The pods by their workload. Made once for a list of services. */
export function indexPods(pods: readonly Pod[]): PodIndex {
  return Map.groupBy(pods, ownerKey);
}

/**
 * ReplicaSets aren't watched: their name tells the Deployment. `web-a` and `web` stay apart, because the hash is known.
 */
function ownerKey({ metadata }: Pod): string {
  const owner = controllerOf(metadata);
  if (!owner) return "";
  const hash = metadata.labels[TEMPLATE_HASH];
  if (owner.kind !== "ReplicaSet" || hash === undefined || !owner.name.endsWith(`-${hash}`)) return owner.uid;
  return deploymentKey(owner.name.slice(0, -hash.length - 1));
}

function deploymentKey(name: string): string {
  return `Deployment ${name}`;
}

type Workload = { readonly metadata: KubeObject<"Deployment">["metadata"]; readonly selector: ObjectSelector };

/**
 * The pods of a Deployment: those of its ReplicaSets that its selector matches. Pods that still end after a deleted
 * Deployment of the same name are not its own.
 */
export function podsOfDeployment({ metadata, selector }: Workload, index: PodIndex): readonly Pod[] {
  const pods = index.get(deploymentKey(metadata.name)) ?? [];
  const created = Date.parse(metadata.creationTimestamp);
  return pods.filter((pod) => {
    const { labels, creationTimestamp, deletionTimestamp } = pod.metadata;
    const isOld = deletionTimestamp !== undefined && Date.parse(creationTimestamp) < created;
    return !isOld && selects(selector, labels);
  });
}

/** The pods of a StatefulSet, DaemonSet or Job, which owns them directly. */
export function podsOfOwner(uid: string, index: PodIndex): readonly Pod[] {
  return index.get(uid) ?? [];
}
