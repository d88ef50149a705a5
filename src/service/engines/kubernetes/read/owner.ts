import type { KubeObject } from "../cluster/kinds.ts";
import type { Owner } from "./found-service.ts";

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
