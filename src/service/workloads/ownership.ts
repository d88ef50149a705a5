import type { RefusedOperation, Service as ServiceBody } from "../../api/schema.ts";

/** Other tools that manage a workload; the same for services and jobs. */
export type Ownership = {
  /** The tool that manages it, if known. */
  readonly managedBy?: string | undefined;
  /** The autoscaler that sets its number of instances, if any. */
  readonly sizeSetBy?: string | undefined;
  /** Operations that would be refused because of them. */
  readonly refused?: readonly RefusedOperation[];
};

export function ownerFields({ managedBy, sizeSetBy }: Ownership): Pick<ServiceBody, "managed_by" | "size_set_by"> {
  return {
    ...(managedBy !== undefined && { managed_by: managedBy }),
    ...(sizeSetBy !== undefined && { size_set_by: sizeSetBy }),
  };
}

/** Only of one workload that is read alone: the reasons are long, and lists can be. */
export function refusedFields({ refused = [] }: Ownership): Pick<ServiceBody, "refused_operations"> {
  return refused.length === 0 ? {} : { refused_operations: [...refused] };
}
