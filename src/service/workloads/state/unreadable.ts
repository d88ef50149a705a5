import type { Job as JobBody, Service as ServiceBody } from "../../../api/schema.ts";
import { Refusal } from "../../engine.ts";

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
  return {
    region,
    uid,
    name,
    ...(createdAt !== undefined && { created_at: createdAt }),
    status: "Failed",
    message: reason,
  };
}

export function unreadableJob({ uid, name, username, createdAt, reason }: Unreadable): JobBody {
  const created = createdAt === undefined ? {} : { creationTimestamp: createdAt };
  return {
    metadata: { name, namespace: username, uid, ...created },
    status: { conditions: [{ type: "Failed", status: "True", reason: "Unreadable", message: reason }] },
    message: reason,
  };
}

export function refuseUnreadable({ kind, name, reason }: Unreadable): Refusal {
  return new Refusal(
    409,
    `the ${kind} ${name} is damaged. ${reason} Nothing was changed. Delete it and create it again.`,
  );
}
