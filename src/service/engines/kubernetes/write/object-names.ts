import { createHash } from "node:crypto";

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
