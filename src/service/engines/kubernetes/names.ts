import type { z } from "zod";
import { jsonIn } from "../../../platform/optional.ts";
import { createHash } from "node:crypto";

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
  /** JSON of what Kubernetes objects can't hold: see read/containers.ts. */
  remembered: "gantry/remembered",
  /** On the pod template; another value replaces the pods. The name that kubectl uses, so both see each other's restarts. */
  restartedAt: "kubectl.kubernetes.io/restartedAt",
} as const;

/** What an annotation has as JSON; undefined without it, and for one that somebody damaged. */
export function fromAnnotation<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  return text === undefined ? undefined : schema.safeParse(jsonIn(text)).data;
}

/**
 * Names of volumes and disks may have capitals, dots and underscores, which Kubernetes doesn't take. A name that fits is
 * kept; another becomes a similar one with a hash, so that different names stay different.
 */
function fitting(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u.test(name)) return name;
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, 40);
  return `${readable}-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

/** The name of a volume in a pod. */
export function podVolumeOf(volume: string): string {
  return fitting(volume);
}

/** The claim that holds a disk. Services of one namespace that name the same disk share it. */
export function claimOf(disk: string): string {
  return fitting(disk);
}

/** The folder of a job's volume on the nodes. Jobs of one namespace that name the same volume share it. */
export function hostPathOf(root: string, namespace: string, volume: string): string {
  return `${root.replace(/\/+$/u, "")}/${namespace}/${fitting(volume)}`;
}

/** Routes of one service: a route takes a limited number of domains. A dot keeps them apart from other services. */
export function routeNameOf(service: string, index: number): string {
  return index === 0 ? service : `${service}.${index + 1}`;
}

/** The port of the v1 Service for a mapping, and one that only domains are routed to, which is no mapping. */
export function mappedPortName(port: number): string {
  return `port-${port}`;
}

export function domainPortName(port: number): string {
  return `${DOMAIN_PORT}${port}`;
}

const DOMAIN_PORT = "domain-";

export function isMappedPort({ name }: { readonly name?: string | undefined }): boolean {
  return name === undefined || !name.startsWith(DOMAIN_PORT);
}
