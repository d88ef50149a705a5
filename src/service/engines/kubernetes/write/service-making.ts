import { z } from "zod";
import { Refusal } from "../../../engine.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { annotations, labels, MANAGED_BY } from "../names.ts";
import { readRemembered } from "../read/remembered.ts";
import { refuseOthersClaim } from "./disks.ts";
import { belongsTo, routeKindOf } from "./domains.ts";
import { createOnce, isTaken } from "./sent-once.ts";
import { claimManifest, type NewRoute, routeManifests, v1ServiceManifest } from "./service-parts.ts";
import type { Target } from "./target.ts";

type Deployment = KubeObject<"Deployment">;
type Route = KubeObject<"Ingress" | "HTTPRoute">;

const Making = z.object({ domains: z.array(z.string()), port: z.number().optional(), claims: z.array(z.string()) });

/**
 * What a service needs besides its Deployment and its mapped ports. It is an annotation of the Deployment until all of
 * it is made, so that another replica can go on when this one dies in the middle.
 */
export type Making = z.output<typeof Making>;

export function makingText(making: Making): string {
  return JSON.stringify(making);
}

/** Undefined if nothing is to be made any more. */
export function makingOf({ metadata }: Pick<Deployment, "metadata">): Making | undefined {
  try {
    return Making.safeParse(JSON.parse(metadata.annotations[annotations.making] ?? "null")).data;
  } catch {
    return undefined;
  }
}

export type Made = {
  readonly routes: readonly Route[];
  readonly claims: readonly KubeObject<"PersistentVolumeClaim">[];
};

/** Makes the v1 Service, the routes and the disks of a Deployment. What is there already is left as it is. */
export async function makeParts(target: Target, deployment: Deployment, making: Making): Promise<Made> {
  const { domains, port, claims } = making;
  await makeV1Service(target, deployment, domains.length > 0 ? port : undefined);
  const routes: Route[] = [];
  for (const route of wantedRoutes(target, deployment, { domains, port })) {
    routes.push(await owned(target, deployment, route));
  }
  return { routes, claims: await makeClaims(target, deployment, claims) };
}

/** For the mapped ports of a Deployment, and the one that domains are routed to. */
async function makeV1Service(target: Target, deployment: Deployment, routed: number | undefined): Promise<void> {
  const { name, annotations: all } = deployment.metadata;
  const mapped = readRemembered(all)?.ports.map(({ containerPort }) => containerPort) ?? [];
  if (mapped.length === 0 && routed === undefined) return;
  const body = v1ServiceManifest(deployment, { mapped, routed }, target.region.config.ports);
  await owned(target, deployment, { kind: "Service", name, body });
}

type Routed = { readonly domains: readonly string[]; readonly port: number | undefined };

function wantedRoutes({ region }: Target, deployment: Deployment, { domains, port }: Routed): readonly NewRoute[] {
  return port === undefined ? [] : routeManifests(deployment, { domains, port }, region.config.domains);
}

type New<K extends "Service" | "Ingress" | "HTTPRoute"> = {
  readonly kind: K;
  readonly name: string;
  readonly body: object;
};

/** An object that belongs to the Deployment; one that is there already must be its own. */
async function owned<K extends "Service" | "Ingress" | "HTTPRoute">(
  { region, reading: { namespace } }: Target,
  { metadata }: Deployment,
  { kind, name, body }: New<K>,
): Promise<KubeObject<K>> {
  const place = { kind, namespace };
  const isOurs = (found: KubeObject<K>) => belongsTo(found, metadata.uid);
  try {
    const made = await createOnce(region.api, { place, name, body, isOurs });
    region.cacheOf(namespace).saw(kind, made);
    return made;
  } catch (error) {
    if (!isTaken(error)) throw error;
    const found = await region.api.get({ ...place, name });
    if (isOurs(found)) return found;
    throw new Refusal(409, `a ${kind} named ${name} already exists in ${namespace}: choose another name`, {
      cause: error,
    });
  }
}

/**
 * Disks have no owner. One that exists is used as it is, also if another service made it a moment ago. One that somebody
 * else made a moment ago is refused.
 */
async function makeClaims({ region, reading, name }: Target, deployment: Deployment, claims: readonly string[]) {
  const { disks } = region.config;
  const place = { kind: "PersistentVolumeClaim", namespace: reading.namespace } as const;
  const made: KubeObject<"PersistentVolumeClaim">[] = [];
  for (const claim of disks ? claims : []) {
    const labelled = {
      labels: { [labels.managedBy]: MANAGED_BY },
      annotations: { [annotations.madeFor]: name, [annotations.request]: requestOf(deployment) },
    };
    const body = disks ? claimManifest(claim, disks, labelled) : {};
    try {
      made.push(await region.api.create(place, body));
    } catch (error) {
      if (!isTaken(error)) throw error;
      refuseOthersClaim(region, await region.api.get({ ...place, name: claim }));
    }
  }
  return made;
}

/** The request that made a Deployment. */
export function requestOf({ metadata }: Pick<Deployment, "metadata">): string {
  return metadata.annotations[annotations.request] ?? metadata.uid;
}

/** Takes the note off a Deployment that is complete. Its failure only means that somebody looks at it once more. */
export async function markMade({ region, reading: { namespace } }: Target, { metadata }: Deployment): Promise<void> {
  const body = { metadata: { uid: metadata.uid, annotations: { [annotations.making]: null } } };
  const named = { kind: "Deployment", namespace, name: metadata.name } as const;
  region.cacheOf(namespace).saw("Deployment", await region.api.patch(named, { type: "merge", body }));
}

/** Makes the routes of a service those of these domains. Returns the ones that are there now. */
export async function replaceRoutes(target: Target, deployment: Deployment, routed: Routed): Promise<readonly Route[]> {
  const { region, reading: place } = target;
  const kind = routeKindOf(region);
  if (kind === undefined) return [];
  if (routed.domains.length > 0) await makeV1Service(target, deployment, routed.port);
  const { namespace } = place;
  const { items } = await region.api.list({ kind, namespace }, {});
  const own = items.filter((route) => belongsTo(route, deployment.metadata.uid));
  const wanted = wantedRoutes(target, deployment, routed);
  const routes: Route[] = [];
  for (const route of wanted) {
    const isThere = own.some(({ metadata }) => metadata.name === route.name);
    routes.push(isThere ? await rewritten(target, route) : await owned(target, deployment, route));
  }
  for (const { metadata } of own.filter((route) => wanted.every(({ name }) => name !== route.metadata.name))) {
    await region.api.delete({ kind, namespace, name: metadata.name }, { propagation: "Background", uid: metadata.uid });
    region.cacheOf(namespace).sawDeleted(kind, metadata);
  }
  return routes;
}

/** Labels and annotations that somebody added, for example for certificates, stay. */
async function rewritten({ region, reading: { namespace } }: Target, { kind, name, body }: NewRoute): Promise<Route> {
  const route = await region.api.patch({ kind, namespace, name }, { type: "merge", body });
  region.cacheOf(namespace).saw(kind, route);
  return route;
}
