import type { LastState, Service as ServiceBody, RefusedOperation } from "../../api/schema.ts";

/** Why a workload is unwell, as an answer holds it; the same for services and jobs. */
export type Unwell = {
  /** Of the containers of all present instances. */
  readonly restartCount?: number | undefined;
  /** How a container last ended although it should have run on. */
  readonly lastState?: LastState | undefined;
  /** Why the workload isn't running as it should, as a clause or sentence. */
  readonly message?: string | undefined;
};

export function unwellFields(unwell: Unwell): Pick<ServiceBody, "restart_count" | "last_state" | "message"> {
  const { restartCount, lastState, message } = unwell;
  return {
    ...(restartCount !== undefined && { restart_count: restartCount }),
    ...(lastState !== undefined && { last_state: lastState }),
    ...(message !== undefined && { message }),
  };
}

/** What a workload is elsewhere, and other tools that manage it; the same for services and jobs. */
export type Ownership = {
  /** See KubernetesKind in openapi.yaml. */
  readonly objectKind?: string | undefined;
  /** The tool that manages it, if known. */
  readonly managedBy?: string | undefined;
  /** The autoscaler that sets its number of instances, if any. */
  readonly sizeSetBy?: string | undefined;
  /** Operations that would be refused because of them. */
  readonly refused?: readonly RefusedOperation[];
};

export function ownerFields({
  objectKind,
  managedBy,
  sizeSetBy,
}: Ownership): Pick<ServiceBody, "kubernetes_kind" | "managed_by" | "size_set_by"> {
  return {
    ...(objectKind !== undefined && { kubernetes_kind: objectKind }),
    ...(managedBy !== undefined && { managed_by: managedBy }),
    ...(sizeSetBy !== undefined && { size_set_by: sizeSetBy }),
  };
}

/** Only of one workload that is read alone: the reasons are long, and lists can be. */
export function refusedFields({ refused = [] }: Ownership): Pick<ServiceBody, "refused_operations"> {
  return refused.length === 0 ? {} : { refused_operations: [...refused] };
}
