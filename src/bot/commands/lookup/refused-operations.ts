import type { Job, Service } from "../../../api/answers.ts";
import type { OperationId } from "../../../api/operations.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { words } from "../../views/kit/inline.ts";

type Workload = Pick<Service | Job, "refused_operations">;
type Sent = { readonly operation: OperationId; readonly part?: string };

/** The operations of verbs that change a workload. */
const sentBy: Readonly<Record<string, readonly Sent[]>> = {
  scale: [{ operation: "updateService", part: "size" }],
  memory: [{ operation: "updateService", part: "memory" }],
  domains: [{ operation: "updateService", part: "domains" }],
  start: [{ operation: "startService" }],
  stop: [{ operation: "stopService" }],
  restart: [{ operation: "restartService" }],
  delete: [{ operation: "deleteService" }, { operation: "deleteJob" }],
};

/**
 * Why the workload API would refuse this verb now, as it said when the workload was read. Undefined if it wouldn't, or
 * doesn't say: then it decides when the request is sent. Pure.
 */
export function refusalOf({ refused_operations: refused = [] }: Workload, verb: string): string | undefined {
  const sent = sentBy[verb] ?? [];
  const isSent = (operation: string, part: string | undefined): boolean =>
    sent.some((each) => each.operation === operation && (part === undefined || each.part === part));
  return refused.find(({ operation, part }) => isSent(operation, part))?.reason;
}

/** A form's line about it. */
export function refusalNote(workload: Workload, verb: string): Line[] {
  const refusal = refusalOf(workload, verb);
  return refusal === undefined ? [] : [[words(`🚫 ${refusal}`, 600)]];
}
