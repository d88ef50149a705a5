import { z } from "zod";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeObject, Pod } from "../cluster/kinds.ts";
import { fromAnnotation, labels as names, MANAGED_BY } from "../names.ts";
import { matchesAll, parseLabelSelector, type ObjectSelector, selects } from "./label-selector.ts";

type Labelled = Pick<KubeObject<"Deployment">["metadata"], "name" | "labels">;

/** Whether Gantry created it. Labels that were copied to an object of another name don't count. */
export function isGantrys({ name, labels }: Labelled, label: typeof names.service | typeof names.job): boolean {
  return labels[names.managedBy] === MANAGED_BY && labels[label] === name;
}

/** Which workloads of others exist for the API. */
export function adopter({ workloads }: ClusterConfig["adopt"]): (of: Labelled) => boolean {
  if (workloads === "none") return () => false;
  if (workloads === "all") return () => true;
  const requirements = parseLabelSelector(workloads);
  return ({ labels }) => matchesAll(requirements, labels);
}

/** Who else manages an object: their change would be undone, or ours would be. `Helm release web`, `CronJob nightly`. */
export type Owner = { readonly tool: "Helm" | "Argo CD" | "Flux" | "CronJob" | "other"; readonly words: string };

type Metadata = Pick<KubeObject<"Deployment">["metadata"], "labels" | "annotations" | "ownerReferences">;

/**
 * Who else manages an object. A GitOps tool comes before Helm, because it also applies the labels of the chart that it
 * renders.
 */
export function ownerOf({ labels, annotations, ownerReferences }: Metadata): Owner | undefined {
  const controller = controllerOf({ ownerReferences });
  if (controller) {
    const tool = controller.kind === "CronJob" ? "CronJob" : "other";
    return { tool, words: `${controller.kind} ${controller.name}` };
  }
  return fluxOf(labels) ?? argoOf(labels, annotations) ?? helmOf(labels, annotations);
}

/** The object that made it: a ReplicaSet a pod, for example. */
export function controllerOf({ ownerReferences }: Pick<Metadata, "ownerReferences">) {
  return ownerReferences.find(({ controller }) => controller === true);
}

/** Who runs a job, if that isn't Kubernetes itself: https://kubernetes.io/docs/concepts/workloads/controllers/job/#delegation-of-managing-a-job-object-to-external-controller */
export function foreignController({ spec: { managedBy } }: KubeObject<"Job">): string | undefined {
  return managedBy === "kubernetes.io/job-controller" ? undefined : managedBy;
}

type Texts = Metadata["labels"];

function fluxOf(labels: Texts): Owner | undefined {
  const release = labels["helm.toolkit.fluxcd.io/name"];
  if (release !== undefined) return { tool: "Flux", words: `Flux HelmRelease ${release}` };
  const kustomization = labels["kustomize.toolkit.fluxcd.io/name"];
  return kustomization === undefined ? undefined : { tool: "Flux", words: `Flux Kustomization ${kustomization}` };
}

/** The tracking id begins with the application: `shop:apps/Deployment:team/web`. */
function argoOf(labels: Texts, annotations: Texts): Owner | undefined {
  const [tracked] = annotations["argocd.argoproj.io/tracking-id"]?.split(":") ?? [];
  const application = tracked ?? labels["argocd.argoproj.io/instance"];
  return application === undefined ? undefined : { tool: "Argo CD", words: `Argo CD application ${application}` };
}

function helmOf(labels: Texts, annotations: Texts): Owner | undefined {
  const release = annotations["meta.helm.sh/release-name"];
  if (release === undefined && labels["app.kubernetes.io/managed-by"] !== "Helm") return undefined;
  // `helm template | kubectl apply` leaves the label alone, and the release's usual label.
  const name = release ?? labels["app.kubernetes.io/instance"];
  return { tool: "Helm", words: name === undefined ? "Helm" : `Helm release ${name}` };
}

/** What sets the size of a service. */
export type Autoscaler = {
  /** "autoscaler web-hpa", "KEDA ScaledObject web": what its owner edits. */
  readonly words: string;
  /** Whether it brings instances back when the size is 0, or is switched off then. */
  readonly wakes: boolean;
  /** The smallest size above 0 that it leaves. */
  readonly least: number;
};

/**
 * Kubernetes switches a HorizontalPodAutoscaler off when somebody sets the size to 0, unless its own minimum is 0:
 * https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/#implicit-maintenance-mode-deactivation
 * That of KEDA is switched off at 0, too, because KEDA itself sets the size to 0 and back: https://keda.sh/docs/latest/concepts/scaling-deployments/
 */
export function autoscalerOf({ metadata, spec }: KubeObject<"HorizontalPodAutoscaler">): Autoscaler {
  const least = Math.max(1, spec.minReplicas);
  const scaled = metadata.ownerReferences.find(({ kind }) => kind === "ScaledObject");
  if (scaled) return { words: `KEDA ScaledObject ${scaled.name}`, wakes: true, least };
  const wakes = spec.minReplicas === 0 && !isSwitchedOff(metadata.annotations);
  return { words: `autoscaler ${metadata.name}`, wakes, least };
}

/** Where `autoscaling/v1`, which every cluster has, keeps the conditions. */
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";

const Conditions = z.array(z.object({ reason: z.string().optional() }));

function isSwitchedOff(annotations: Readonly<Record<string, string>>): boolean {
  const conditions = fromAnnotation(Conditions, annotations[CONDITIONS]) ?? [];
  return conditions.some(({ reason }) => reason === "ScalingDisabled");
}

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
