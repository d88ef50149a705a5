import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels as names, MANAGED_BY } from "../names.ts";
import { matchesAll, parseLabelSelector } from "./label-selector.ts";

type Labelled = Pick<KubeObject<"Deployment">["metadata"], "name" | "labels">;

/** Whether Gantry created it. Labels that were copied to an object of another name don't count. */
export function isGantrys({ name, labels }: Labelled, label: typeof names.service | typeof names.job): boolean {
  return labels[names.managedBy] === MANAGED_BY && labels[label] === name;
}

/** Which workloads of others exist for the API. */
export function adopter({ which }: ClusterConfig["adopt"]): (of: Labelled) => boolean {
  if (which === "none") return () => false;
  if (which === "all") return () => true;
  const requirements = parseLabelSelector(which.selector);
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
  const controller = ownerReferences.find(({ controller }) => controller === true);
  if (controller) {
    const tool = controller.kind === "CronJob" ? "CronJob" : "other";
    return { tool, words: `${controller.kind} ${controller.name}` };
  }
  return fluxOf(labels) ?? argoOf(labels, annotations) ?? helmOf(labels, annotations);
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
