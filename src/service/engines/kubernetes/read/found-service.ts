import type { Service } from "../../../workloads/state/service-store.ts";
import type { StatusWithReason } from "../../../workloads/services/service-answer.ts";
import type { ServiceState } from "../../../workloads/services/service-status.ts";
import type { KubeObject } from "../cluster/kinds.ts";

/** Who else manages an object: their change would be undone, or ours would be. `Helm release web`, `CronJob nightly`. */
export type Owner = { readonly tool: "Helm" | "Argo CD" | "Flux" | "CronJob" | "other"; readonly words: string };

/** A Deployment, StatefulSet or DaemonSet as a service of the API. */
export type FoundService = {
  readonly source:
    | { readonly kind: "Deployment"; readonly object: KubeObject<"Deployment"> }
    | { readonly kind: "StatefulSet"; readonly object: KubeObject<"StatefulSet"> }
    | { readonly kind: "DaemonSet"; readonly object: KubeObject<"DaemonSet"> };
  /** As the shared answers take it (service-answer.ts). */
  readonly service: Service;
  readonly status: StatusWithReason & { readonly state: ServiceState };
  /** False for one that Gantry created. */
  readonly isAdopted: boolean;
  readonly owner: Owner | undefined;
  /** The name of the HorizontalPodAutoscaler that sets its size. */
  readonly autoscaler: string | undefined;
  readonly pods: readonly KubeObject<"Pod">[];
};
