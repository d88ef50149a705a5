import type { z } from "zod";
import { jsonIn } from "../../../platform/optional.ts";

/** Labels and annotations of objects that Gantry writes. The selector of a Deployment can never change: keep these. */
export const labels = {
  managedBy: "app.kubernetes.io/managed-by",
  name: "app.kubernetes.io/name",
  /** On a service's Deployment and pods, and in its selector. */
  service: "gantry/service",
  /** On a Job and its pods. */
  job: "gantry/job",
} as const;

export const MANAGED_BY = "gantry";

export const annotations = {
  /** The size before a stop, to which a start returns; only on a stopped service. */
  size: "gantry/size",
  /** When it was stopped; only on a stopped service. */
  stoppedAt: "gantry/stopped-at",
  /** On a service that was asked to have no instances: it is running, not stopped. */
  idle: "gantry/idle",
  /** On a service whose address, routes or disks are still to be made: see write/service-making.ts. */
  making: "gantry/making",
  /** Which request made an object: tells a create without an answer from somebody else's. */
  request: "gantry/request",
  /** Who asked Gantry for the last change, an id of Slack, and the id of that request; absent if nobody said it. */
  changedBy: "gantry/changed-by",
  change: "gantry/change",
  /** On a disk: the service that it was made for. */
  madeFor: "gantry/made-for",
  /** On a job: how one of its containers last failed, which only its pod knew: see read/job-status.ts. */
  lastEnd: "gantry/last-end",
  /** JSON of what Kubernetes objects can't hold: see read/remembered.ts. */
  remembered: "gantry/remembered",
  /** On the pod template; another value replaces the pods. The name that kubectl uses, so both see each other's restarts. */
  restartedAt: "kubectl.kubernetes.io/restartedAt",
} as const;

/** What an annotation has as JSON; undefined without it, and for one that somebody damaged. */
export function fromAnnotation<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  return text === undefined ? undefined : schema.safeParse(jsonIn(text)).data;
}
