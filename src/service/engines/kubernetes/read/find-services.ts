import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import type { Region } from "../region.ts";
import { adopter, isGantrys } from "./adoption.ts";
import { type Domains, indexDomains } from "./reach/domains.ts";
import type { FoundService } from "./found-service.ts";
import { ownerOf } from "./owner.ts";
import { indexPods, type PodIndex, podsOfDeployment, podsOfOwner } from "./pods.ts";
import { projectService } from "./project-service.ts";
import { nameServices } from "./service-names.ts";
import { serviceStatus } from "./service-status.ts";
import { type InNamespace, nameApart, type WorkloadNames } from "./workload-names.ts";
import { indexV1Services, type V1Services } from "./reach/v1-services.ts";

/** A user's namespaces of a region that can be read, and the time by which their services are judged. */
export type Reading = { readonly namespaces: readonly string[]; readonly username: string; readonly now: Date };

/** A region as far as reading needs it: what it knows, not how. */
export type KnownRegion = Pick<Region, "config" | "cacheOf" | "namespaces">;

type Known = Pick<KnownRegion, "config" | "cacheOf">;

/**
 * The services of the namespaces in the order of their creation, from what their caches hold: await `current` first.
 * Everything of a namespace is joined once for all of them.
 */
export function findServices(region: Known, reading: Reading): FoundService[] {
  const around = new Map(reading.namespaces.map((namespace) => [namespace, aroundOf(region, namespace)]));
  return namesOf(region, reading)
    .all.map((named) => foundService(named, around.get(named.namespace) ?? aroundOf(region, named.namespace), reading))
    .toSorted(byCreation);
}

/** The service of this name in the API. Throws a `Refusal` 400 for a name that could mean another one: see workload-names.ts. */
export function findService(region: Known, reading: Reading & { readonly name: string }): FoundService | undefined {
  const named = namesOf(region, reading).find(reading.name);
  return named && foundService(named, aroundOf(region, named.namespace), reading);
}

/** Whether a new service can't have this name. */
export function isServiceName(region: Known, reading: Reading & { readonly name: string }): boolean {
  return namesOf(region, reading).isTaken(reading.name);
}

/** The namespace of the service of this name. Throws as `findService`. */
export function namespaceOfService(region: Known, reading: Reading & { readonly name: string }): string | undefined {
  return namesOf(region, reading).find(reading.name)?.namespace;
}

type Source = FoundService["source"];

/** Workloads that Gantry created, and those that the region adopts. */
function namesOf(region: Known, { namespaces }: Reading): WorkloadNames<Source> {
  return nameApart(
    "service",
    namespaces.flatMap((namespace) => nameServices(sourcesIn(region, namespace), namespace)),
  );
}

function sourcesIn({ cacheOf, config }: Known, namespace: string): readonly Source[] {
  const cache = cacheOf(namespace);
  const adopts = adopter(config.adopt);
  const isAdopting = config.adopt.which !== "none";
  const sources: readonly Source[] = [
    ...cache.all("Deployment").map((object) => ({ kind: "Deployment" as const, object })),
    ...(isAdopting ? cache.all("StatefulSet").map((object) => ({ kind: "StatefulSet" as const, object })) : []),
    ...(isAdopting ? cache.all("DaemonSet").map((object) => ({ kind: "DaemonSet" as const, object })) : []),
  ];
  return sources.filter((source) => isOwn(source) || adopts(source.object.metadata));
}

function isOwn({ kind, object }: Source): boolean {
  return kind === "Deployment" && isGantrys(object.metadata, labels.service);
}

type Around = {
  readonly region: Known;
  readonly pods: PodIndex;
  readonly v1Services: V1Services;
  readonly domains: Domains;
  /** The names of autoscalers by the kind and name of their targets. */
  readonly autoscalers: ReadonlyMap<string, string>;
};

function aroundOf(region: Known, namespace: string): Around {
  const cache = region.cacheOf(namespace);
  const { kind } = region.config.domains;
  return {
    region,
    pods: indexPods(cache.all("Pod")),
    v1Services: indexV1Services(cache.all("Service")),
    domains: indexDomains({
      ingresses: kind === "ingress" ? cache.all("Ingress") : [],
      httpRoutes: kind === "gateway" ? cache.all("HTTPRoute") : [],
    }),
    autoscalers: new Map(cache.all("HorizontalPodAutoscaler").map(autoscaled)),
  };
}

function autoscaled({ metadata, spec }: KubeObject<"HorizontalPodAutoscaler">): readonly [string, string] {
  return [targetKey(spec.scaleTargetRef), metadata.name];
}

function targetKey({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name}`;
}

function foundService(
  { name, item: source }: InNamespace<Source>,
  around: Around,
  { username, now }: Reading,
): FoundService {
  const { kind, object } = source;
  const { metadata, spec } = object;
  const v1Services = around.v1Services(spec.template.metadata?.labels ?? {});
  const pods =
    kind === "Deployment"
      ? podsOfDeployment({ metadata, selector: spec.selector }, around.pods)
      : podsOfOwner(metadata.uid, around.pods);
  const domains = around.domains({ uid: metadata.uid, v1Services: v1Services.map((each) => each.metadata.name) });
  return {
    source,
    service: projectService(object, { name, username, config: around.region.config, v1Services, domains }),
    status: serviceStatus(source, pods, now),
    isAdopted: !isOwn(source),
    owner: ownerOf(metadata),
    autoscaler: around.autoscalers.get(targetKey({ kind, name: metadata.name })),
    pods,
  };
}

function byCreation({ service: left }: FoundService, { service: right }: FoundService): number {
  return Date.parse(left.createdAt) - Date.parse(right.createdAt) || (left.name < right.name ? -1 : 1);
}
