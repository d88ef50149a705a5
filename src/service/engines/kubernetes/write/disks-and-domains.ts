import { incapable, Refusal } from "../../../engine.ts";
import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { TITLE } from "../cluster/cluster-config.ts";
import type { Region } from "../regions.ts";
import { domainPort } from "./service-manifests.ts";
import { type Target, reading } from "./target.ts";
import { annotations, labels, MANAGED_BY, claimOf } from "../names.ts";

type RouteKind = "Ingress" | "HTTPRoute";
type Route = KubeObject<RouteKind>;

/** The kind of a region's routes; undefined where nothing routes domains. */
export function routeKindOf({ config }: Region): RouteKind | undefined {
  const kinds = { none: undefined, ingress: "Ingress", gateway: "HTTPRoute" } as const;
  return kinds[config.domains.by];
}

export function hostsOf(route: Route): readonly string[] {
  return "hostnames" in route.spec ? route.spec.hostnames : route.spec.rules.flatMap(({ host }) => host ?? []);
}

export function belongsTo({ metadata }: Pick<Route, "metadata">, uid: string | undefined): boolean {
  return uid !== undefined && metadata.ownerReferences.some((owner) => owner.uid === uid);
}

/** The port that a service's domains are routed to. Throws a `Refusal` 400 when there is none. */
export function routedPort({ config }: Region, definition: ServiceDefinition): number | undefined {
  const port = domainPort(definition);
  if (definition.domains.length === 0 || port !== undefined) return port;
  const why = "there is no port to route them to: add port_mappings";
  throw incapable({ feature: "domains", why }, { title: TITLE, region: config.region, place: "binding_domain_name" });
}

/**
 * Refuses a domain that a route of another service has, in any namespace of the region that can be read: the cluster
 * itself takes the same domain twice.
 */
export async function refuseTakenDomains(target: Target, domains: readonly string[], own?: string): Promise<void> {
  const kind = routeKindOf(target.region);
  if (domains.length === 0 || kind === undefined) return;
  const routes = await everywhere(target, async (namespace) => {
    const cache = target.region.cacheOf(namespace);
    await cache.current([kind], target.signal);
    return cache.all(kind);
  });
  refuseOthers(routes, domains, (route) => !belongsTo(route, own));
}

/**
 * The same once more after the own routes were made, past all caches: of two services that bind a domain at the same
 * moment, the later one is refused.
 */
export async function refuseLaterDomains(target: Target, own: readonly Route[], uid: string): Promise<void> {
  const kind = routeKindOf(target.region);
  if (own.length === 0 || kind === undefined) return;
  const { api } = target.region;
  const routes = await everywhere(target, async (namespace) => (await api.list({ kind, namespace }, {})).items);
  const mine = own.toSorted(byAge).at(-1);
  refuseOthers(
    routes,
    own.flatMap((route) => hostsOf(route)),
    (route) => !belongsTo(route, uid) && mine !== undefined && byAge(route, mine) < 0,
  );
}

/** A namespace that can't be read hides its domains; the own one must be readable. */
async function everywhere(target: Target, read: (namespace: string) => Promise<readonly Route[]>): Promise<Route[]> {
  const { region, namespace: own, parts } = target;
  const namespaces = new Set([own, ...region.namespaces.all()]);
  const lists = [...namespaces].map(async (namespace) => {
    try {
      return await read(namespace);
    } catch (error) {
      if (namespace === own) throw error;
      parts.onEvent("couldn't look for a domain in another namespace", { error, namespace });
      return [];
    }
  });
  return (await Promise.all(lists)).flat();
}

function refuseOthers(routes: readonly Route[], domains: readonly string[], isOther: (route: Route) => boolean): void {
  const taken = new Set(routes.filter(isOther).flatMap((route) => hostsOf(route).map((host) => host.toLowerCase())));
  const domain = domains.find((each) => taken.has(each.toLowerCase()));
  if (domain === undefined) return;
  throw new Refusal(
    409,
    `the domain ${domain} belongs to another service: remove it there first. Nothing was changed.`,
  );
}

/** Times have whole seconds; versions rise with each write in a cluster. */
function byAge({ metadata: left }: Route, { metadata: right }: Route): number {
  return (
    Date.parse(left.creationTimestamp) - Date.parse(right.creationTimestamp) ||
    Number(left.resourceVersion) - Number(right.resourceVersion)
  );
}

export type Disks = {
  /** Claims that have to be made. */
  readonly missing: readonly string[];
  /** Whether one of them can be written to by one node only. */
  readonly holdsDisk: boolean;
};

/** Reads which disks exist. Throws a `Refusal` 400 for disks that this region can't give. */
export async function disksFor(target: Target, { volumes, size }: ServiceDefinition): Promise<Disks> {
  if (volumes.length === 0) return { missing: [], holdsDisk: false };
  const { region, namespace, name, signal } = target;
  const of = { kind: "PersistentVolumeClaim", namespace } as const;
  const { items } = await reading(`create the service ${name}`, () => region.api.list(of, {}, signal));
  const claims = new Map(items.map((claim) => [claim.metadata.name, claim]));
  const missing = volumes.findIndex(({ diskName }) => !claims.has(claimOf(diskName)));
  const where = { title: TITLE, region: region.config.region };
  if (missing >= 0 && !region.config.disks) {
    const why = `there is no claim ${claimOf(volumes[missing]?.diskName ?? "")}, and the region has no storage class for new disks`;
    throw incapable({ feature: "disks", why }, { ...where, place: `volumes[${missing}].disk_name` });
  }
  for (const { diskName } of volumes) {
    const claim = claims.get(claimOf(diskName));
    if (claim) refuseOthersClaim(region, claim);
  }
  const isShared = (disk: string) => claims.get(claimOf(disk))?.spec.accessModes.includes("ReadWriteMany") ?? false;
  const holdsDisk = volumes.some(({ diskName, readOnly }) => !readOnly && !isShared(diskName));
  if (holdsDisk && size > 1) throw oneInstance(region.config.region);
  const names = new Set(volumes.map(({ diskName }) => claimOf(diskName)));
  return { missing: [...names].filter((claim) => !claims.has(claim)), holdsDisk };
}

/**
 * Refuses a claim that isn't Gantry's: a service would mount the data of whatever else uses it. A label alone isn't
 * enough, because tools copy labels.
 */
export function refuseOthersClaim(
  { config }: Pick<Region, "config">,
  { metadata }: KubeObject<"PersistentVolumeClaim">,
): void {
  const { name } = metadata;
  const isGantrys = metadata.labels[labels.managedBy] === MANAGED_BY && annotations.madeFor in metadata.annotations;
  if (isGantrys || config.claims?.includes(name) === true) return;
  throw new Refusal(
    403,
    `the claim ${name} wasn't made by Gantry, so a service may not use it. Nothing was changed. Choose another ` +
      `disk_name, or have the operator add ${name} to disks.claims of the region ${config.region} in SERVICE_CLUSTERS.`,
  );
}

/** A disk of one node: several instances would write to it side by side, or wait for each other forever. */
export function oneInstance(region: string) {
  return incapable(
    { feature: "sharedDisks", why: "only one instance can write to its disk: use 1 instance, or a read-only disk" },
    { title: TITLE, region, place: "target_instance_size" },
  );
}
