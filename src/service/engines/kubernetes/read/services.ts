import type { DescribedService } from "../../../workloads/services/service-answer.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import type { Evidence } from "./evidence.ts";
import {
  type Autoscaler,
  type Owner,
  adopter,
  autoscalerOf,
  isGantrys,
  ownerOf,
  indexPods,
  type PodIndex,
  podsOfDeployment,
  podsOfOwner,
} from "./owner.ts";
import type { ServiceSource } from "./rollout.ts";
import { type FoundStatus, serviceStatus, restOf } from "./service-status.ts";
import { labels, annotations } from "../names.ts";
import type { Region } from "../regions.ts";
import { type Domains, indexDomains, indexV1Services, type V1Services, reachableOf } from "./addresses.ts";
import { byAge, type InNamespace, nameApart, nameKindsApart, type WorkloadNames } from "./workload-names.ts";
import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import { containersOf, type PodTemplate, readRemembered, type Remembered } from "./containers.ts";

/** A Deployment, StatefulSet or DaemonSet as a service of the API. */
export type FoundService = {
  readonly source: ServiceSource;
  /** As the shared answers take it (service-answer.ts). */
  readonly service: DescribedService;
  readonly status: FoundStatus;
  /** False for one that Gantry created. */
  readonly isAdopted: boolean;
  readonly owner: Owner | undefined;
  readonly autoscaler: Autoscaler | undefined;
  readonly pods: readonly KubeObject<"Pod">[];
};

/** A user's namespaces of a region that can be read, and what their workloads are judged by. */
export type Reading = Evidence & { readonly namespaces: readonly string[]; readonly username: string };

/** A region as far as reading needs it: what it knows, not how. */
export type KnownRegion = Pick<Region, "config" | "cacheOf">;

/**
 * The services of the namespaces in the order of their creation, from what their caches hold: await `current` first.
 * Everything of a namespace is joined once for all of them.
 */
export function findServices(region: KnownRegion, reading: Reading): FoundService[] {
  const around = new Map(reading.namespaces.map((namespace) => [namespace, aroundOf(region, namespace)]));
  return serviceNames(region, reading)
    .all.map((named) => foundService(named, around.get(named.namespace) ?? aroundOf(region, named.namespace), reading))
    .toSorted((left, right) => byAge(left.service, right.service));
}

/** The service of this name in the API. Throws a `Refusal` 400 for a name that could mean another one: see workload-names.ts. */
export function findService(
  region: KnownRegion,
  reading: Reading & { readonly name: string },
): FoundService | undefined {
  const named = serviceNames(region, reading).find(reading.name);
  return named && foundService(named, aroundOf(region, named.namespace), reading);
}

/** Workloads that Gantry created, and those that the region adopts. */
export function serviceNames(region: KnownRegion, { namespaces }: Reading): WorkloadNames<ServiceSource> {
  return nameApart(
    "service",
    namespaces.flatMap((namespace) => nameKindsApart(sourcesIn(region, namespace), namespace)),
  );
}

function sourcesIn({ cacheOf, config }: KnownRegion, namespace: string): readonly ServiceSource[] {
  const cache = cacheOf(namespace);
  const adopts = adopter(config.adopt);
  const isAdopting = config.adopt.workloads !== "none";
  const sources: readonly ServiceSource[] = [
    ...cache.all("Deployment").map((object) => ({ kind: "Deployment" as const, object })),
    ...(isAdopting ? cache.all("StatefulSet").map((object) => ({ kind: "StatefulSet" as const, object })) : []),
    ...(isAdopting ? cache.all("DaemonSet").map((object) => ({ kind: "DaemonSet" as const, object })) : []),
  ];
  return sources.filter((source) => isOwn(source) || adopts(source.object.metadata));
}

function isOwn({ kind, object }: ServiceSource): boolean {
  return kind === "Deployment" && isGantrys(object.metadata, labels.service);
}

type Around = {
  readonly region: KnownRegion;
  readonly pods: PodIndex;
  readonly v1Services: V1Services;
  readonly domains: Domains;
  /** By the kind and name of their targets. */
  readonly autoscalers: ReadonlyMap<string, Autoscaler>;
};

function aroundOf(region: KnownRegion, namespace: string): Around {
  const cache = region.cacheOf(namespace);
  const { by } = region.config.domains;
  return {
    region,
    pods: indexPods(cache.all("Pod")),
    v1Services: indexV1Services(cache.all("Service")),
    domains: indexDomains({
      ingresses: by === "ingress" ? cache.all("Ingress") : [],
      httpRoutes: by === "gateway" ? cache.all("HTTPRoute") : [],
    }),
    autoscalers: new Map(
      cache.all("HorizontalPodAutoscaler").map((each) => [targetKey(each.spec.scaleTargetRef), autoscalerOf(each)]),
    ),
  };
}

function targetKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

function foundService(
  named: InNamespace<ServiceSource>,
  around: Around,
  { username, ...evidence }: Reading,
): FoundService {
  const source = named.item;
  const { kind, object } = source;
  const { metadata, spec } = object;
  const pods =
    kind === "Deployment"
      ? podsOfDeployment({ metadata, selector: spec.selector }, around.pods)
      : podsOfOwner(metadata.uid, around.pods);
  const autoscaler = around.autoscalers.get(targetKey({ kind, name: metadata.name }));
  return {
    source,
    service: { username, ...projectService(named, around, autoscaler) },
    status: serviceStatus(source, pods, { ...evidence, autoscaler }),
    isAdopted: !isOwn(source),
    owner: ownerOf(metadata),
    autoscaler,
    pods,
  };
}

/** A Deployment, StatefulSet or DaemonSet with its definition, whoever wrote it. */
function projectService(
  { name, item: source }: InNamespace<ServiceSource>,
  { region: { config }, ...around }: Around,
  autoscaler: Autoscaler | undefined,
): Omit<DescribedService, "username"> {
  const { metadata, spec } = source.object;
  const v1Services = around.v1Services(spec.template.metadata?.labels ?? {});
  const domains = around.domains({ uid: metadata.uid, v1Services: v1Services.map((each) => each.metadata.name) });
  const isStopped = restOf(source, autoscaler) === "stopped";
  const { template } = spec;
  const remembered = readRemembered(metadata.annotations);
  const { ports, addresses } = reachableOf(template, v1Services, config, remembered);
  return {
    uid: metadata.uid,
    region: config.region,
    name,
    createdAt: metadata.creationTimestamp,
    running: !isStopped,
    deleting: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation ?? 0,
    definition: {
      size: isStopped ? sizeAfterStart(metadata.annotations, autoscaler) : spec.replicas,
      containers: containersOf(template, remembered),
      ports,
      volumes: volumesOf(template, remembered),
      syncTimezone: remembered?.syncTimezone ?? false,
      domains,
    },
    addresses,
  };
}

/** The size to which a start returns. Nobody knows it where somebody else stopped the service: then it is the smallest. */
function sizeAfterStart(of: Readonly<Record<string, string>>, autoscaler: Autoscaler | undefined): number {
  const text = of[annotations.size] ?? "";
  const remembered = /^\d{1,5}$/u.test(text) ? Number(text) : 1;
  return Math.max(remembered, autoscaler?.least ?? 0);
}

/** Only claims are disks. */
function volumesOf({ spec }: PodTemplate, remembered: Remembered | undefined): ServiceDefinition["volumes"] {
  return spec.volumes.flatMap(({ name: podVolume, persistentVolumeClaim: claim }) => {
    if (!claim) return [];
    const known = remembered?.volumes.find((volume) => volume.podVolume === podVolume);
    const readOnly = claim.readOnly ?? known?.readOnly ?? false;
    const disk = known?.disk?.claim === claim.claimName ? known.disk.name : claim.claimName;
    return [{ name: known?.name ?? podVolume, diskName: disk, readOnly }];
  });
}
