import type { LastState, Service as ServiceBody, RefusedOperation, Job as JobBody } from "../../api/schema.ts";
import { defined } from "../../platform/optional.ts";
import { Refusal } from "../engine.ts";

/** Why a workload is unwell, as an answer holds it; the same for services and jobs. */
export type Unwell = {
  /** Of the containers of all present instances. */
  readonly restartCount?: number | undefined;
  /** How a container last ended although it should have run on. */
  readonly lastState?: LastState | undefined;
  /** Why the workload isn't running as it should, as a clause or sentence. */
  readonly message?: string | undefined;
};

export function unwellFields({ restartCount, lastState, message }: Unwell) {
  return defined({ restart_count: restartCount, last_state: lastState, message });
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

export function ownerFields({ objectKind, managedBy, sizeSetBy }: Ownership) {
  return defined({ kubernetes_kind: objectKind, managed_by: managedBy, size_set_by: sizeSetBy });
}

/** Only of one workload that is read alone: the reasons are long, and lists can be. */
export function refusedFields({ refused = [] }: Ownership): Pick<ServiceBody, "refused_operations"> {
  return refused.length === 0 ? {} : { refused_operations: [...refused] };
}

/** A saved workload whose definition can't be used. It shows as failed and can only be deleted. */
export type Unreadable = {
  readonly kind: "service" | "job";
  readonly uid: string;
  readonly username: string;
  /** Only for services. */
  readonly region: string;
  readonly name: string;
  readonly createdAt: string | undefined;
  /** A sentence. */
  readonly reason: string;
};

export function unreadableService({ uid, name, region, createdAt, reason }: Unreadable): ServiceBody {
  return { region, uid, name, ...defined({ created_at: createdAt }), status: "Failed", message: reason };
}

export function unreadableJob({ uid, name, username, createdAt, reason }: Unreadable): JobBody {
  return {
    metadata: { name, namespace: username, uid, ...defined({ creationTimestamp: createdAt }) },
    status: { conditions: [{ type: "Failed", status: "True", reason: "Unreadable", message: reason }] },
    message: reason,
  };
}

export function refuseUnreadable({ kind, name, reason }: Unreadable): Refusal {
  const todo = "Nothing was changed. Delete it and create it again.";
  return new Refusal(409, `the ${kind} ${name} is damaged. ${reason} ${todo}`);
}
