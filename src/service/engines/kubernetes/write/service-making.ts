import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { Refusal } from "../../../engine.ts";
import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import { KubeError, type Named, type Patch } from "../cluster/kube-api.ts";
import type { KubeObject, Deployment } from "../cluster/kinds.ts";
import { annotations, fromAnnotation, labels, MANAGED_BY } from "../names.ts";
import { readRemembered } from "../read/containers.ts";
import { refuseOthersClaim, belongsTo, hostsOf, routeKindOf } from "./disks-and-domains.ts";
import { createOnce, isGone, isTaken, notesOf, type Target } from "./target.ts";
import { claimManifest, ingressRule, type NewRoute, routeManifests, v1ServiceManifest } from "./service-manifests.ts";
import { needed } from "./service-patches.ts";

type Route = KubeObject<"Ingress" | "HTTPRoute">;

const Making = z.object({ domains: z.array(z.string()), port: z.number().optional(), claims: z.array(z.string()) });

/**
 * What a service needs besides its Deployment and its mapped ports. It is an annotation of the Deployment until all of
 * it is made, so that another replica can go on when this one dies in the middle.
 */
export type Making = z.output<typeof Making>;

/** Undefined if nothing is to be made any more. */
export function makingOf({ metadata }: Pick<Deployment, "metadata">): Making | undefined {
  return fromAnnotation(Making, metadata.annotations[annotations.making]);
}

/**
 * Makes the v1 Service, the routes and the disks of a Deployment. What is there already is left as it is. Returns the
 * routes.
 */
export async function makeParts(target: Target, deployment: Deployment, making: Making): Promise<readonly Route[]> {
  const { domains, port, claims } = making;
  await makeV1Service(target, deployment, domains.length > 0 ? port : undefined);
  const routes: Route[] = [];
  for (const route of wantedRoutes(target, deployment, { domains, port })) {
    routes.push(await owned(target, deployment, route));
  }
  await makeClaims(target, deployment, claims);
  return routes;
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

/** Of a service that was deleted a moment ago: Kubernetes takes its parts away soon after its Deployment. */
const LEFT_OVER_MS = 5_000;

/** An object that belongs to the Deployment; one that is there already must be its own. */
async function owned<K extends "Service" | "Ingress" | "HTTPRoute">(
  { region, namespace, signal, parts: { clock } }: Target,
  { metadata }: Deployment,
  { kind, name, body }: New<K>,
): Promise<KubeObject<K>> {
  const place = { kind, namespace };
  const isOurs = (found: KubeObject<K>) => belongsTo(found, metadata.uid);
  const began = clock.elapsedMs();
  for (;;) {
    try {
      const made = await createOnce(region.api, { place, name, body, isOurs, clock });
      region.cacheOf(namespace).applyWrite(kind, made);
      return made;
    } catch (error) {
      if (!isTaken(error)) throw error;
      const found = await region.api.get({ ...place, name }).catch((gone: unknown) => {
        if (isGone(gone)) return undefined;
        throw gone;
      });
      if (found && isOurs(found)) return found;
      const isLeftOver = !found || isLeftBehind(found, metadata);
      if (!isLeftOver || clock.elapsedMs() - began > LEFT_OVER_MS) throw otherObject({ kind, name, namespace }, error);
    }
    await clock.sleep(100, signal);
  }
}

/** It belongs to an earlier Deployment of this name. */
function isLeftBehind(
  { metadata }: Pick<Deployment, "metadata">,
  now: { readonly name: string; readonly uid?: string },
): boolean {
  const { name, uid } = now;
  return metadata.ownerReferences.some(
    (owner) => owner.kind === "Deployment" && owner.name === name && owner.uid !== uid,
  );
}

/** Names the kind, because a service of Gantry is several objects of Kubernetes. */
export function otherObject({ kind, name, namespace }: Named, cause?: unknown): Refusal {
  return new Refusal(
    409,
    `the name ${name} is taken: ${kind === "Ingress" ? "an" : "a"} ${kind} named ${name} already exists in the namespace ` +
      `${namespace}, and Gantry didn't make it. Nothing was changed. Choose another name.`,
    { cause },
  );
}

/**
 * Refuses a name that an object has which the service would need, before anything is made. A part that an earlier service of
 * this name left behind is no obstacle.
 */
export function refuseTakenParts(
  target: Target,
  { ports, domains }: Pick<ServiceDefinition, "ports" | "domains">,
): void {
  const { region, namespace, name } = target;
  const cache = region.cacheOf(namespace);
  const routes = routeKindOf(region);
  const needed = [
    ...(ports.length > 0 || domains.length > 0 ? (["Service"] as const) : []),
    ...(domains.length > 0 && routes !== undefined ? [routes] : []),
  ];
  for (const kind of needed) {
    const found = cache.find(kind, name);
    if (found && !isLeftBehind(found, { name })) {
      throw otherObject({ kind, name, namespace });
    }
  }
}

/**
 * Disks have no owner. One that exists is used as it is, also if another service made it a moment ago. One that somebody
 * else made a moment ago is refused.
 */
async function makeClaims({ region, namespace, name }: Target, deployment: Deployment, claims: readonly string[]) {
  const { disks } = region.config;
  const place = { kind: "PersistentVolumeClaim", namespace } as const;
  for (const claim of disks ? claims : []) {
    const labelled = {
      labels: { [labels.managedBy]: MANAGED_BY },
      annotations: { [annotations.madeFor]: name, [annotations.request]: requestOf(deployment) },
    };
    const body = disks ? claimManifest(claim, disks, labelled) : {};
    try {
      await region.api.create(place, body);
    } catch (error) {
      if (!isTaken(error)) throw error;
      refuseOthersClaim(region, await region.api.get({ ...place, name: claim }));
    }
  }
}

/** The request that made a Deployment. */
export function requestOf({ metadata }: Pick<Deployment, "metadata">): string {
  return metadata.annotations[annotations.request] ?? metadata.uid;
}

/** Takes the note off a Deployment that is complete. Its failure only means that somebody looks at it once more. */
export async function markMade({ region, namespace }: Target, { metadata }: Deployment): Promise<void> {
  const body = { metadata: { uid: metadata.uid, annotations: { [annotations.making]: null } } };
  const named = { kind: "Deployment", namespace, name: metadata.name } as const;
  region.cacheOf(namespace).applyWrite("Deployment", await region.api.patch(named, { type: "merge", body }));
}

/** Makes the routes of a service those of these domains. Returns the ones that are there now. */
export async function replaceRoutes(target: Target, deployment: Deployment, routed: Routed): Promise<readonly Route[]> {
  const { region, namespace } = target;
  const kind = routeKindOf(region);
  if (kind === undefined) return [];
  if (routed.domains.length > 0) await makeV1Service(target, deployment, routed.port);
  const { items } = await region.api.list({ kind, namespace }, {});
  const own = items.filter((route) => belongsTo(route, deployment.metadata.uid));
  const wanted = wantedRoutes(target, deployment, routed);
  const routes: Route[] = [];
  for (const route of wanted) {
    const found = own.find(({ metadata }) => metadata.name === route.name);
    const { port = 0 } = routed; // a route is wanted only with a port
    const rerouting = { ...route, port, service: deployment.metadata.name };
    routes.push(await (found ? rerouted(target, found, rerouting) : owned(target, deployment, route)));
  }
  for (const { metadata } of own.filter((route) => wanted.every(({ name }) => name !== route.metadata.name))) {
    await region.api.delete({ kind, namespace, name: metadata.name }, { propagation: "Background", uid: metadata.uid });
    region.cacheOf(namespace).applyDelete(kind, metadata);
  }
  return routes;
}

const TRIES = 3;

/**
 * Gives a route other domains. Nothing else of it is written: labels, annotations, TLS and paths that somebody added, for
 * example for certificates, stay.
 */
async function rerouted(target: Target, first: Route, wanted: NewRoute & Rerouting): Promise<Route> {
  const { region, namespace } = target;
  const { kind, name } = wanted;
  const named = { kind, namespace, name };
  let found = first;
  for (let tries = 1; ; tries += 1) {
    const patch = reroutePatch(target, found, wanted);
    if (!patch) return found;
    try {
      const route = await region.api.patch(named, patch);
      region.cacheOf(namespace).applyWrite(kind, route);
      return route;
    } catch (error) {
      // Somebody else changed it.
      if (!(error instanceof KubeError && error.status === 409) || tries >= TRIES) throw error;
    }
    found = await region.api.get(named);
  }
}

type Rerouting = Pick<NewRoute, "domains"> & { readonly service: string; readonly port: number };

/** Undefined if it has these domains. A rule without a host is somebody's own. */
function reroutePatch(target: Target, route: Route, { domains, service, port }: Rerouting): Patch | undefined {
  const { metadata, spec } = route;
  if (isDeepStrictEqual(hostsOf(route), domains)) return undefined;
  const { uid, resourceVersion } = metadata;
  const annotations = needed(route, notesOf(target));
  if ("hostnames" in spec) {
    return { type: "merge", body: { metadata: { uid, annotations }, spec: { hostnames: domains } } };
  }
  const rules = domains.flatMap((host) => {
    const known = spec.rules.filter((rule) => rule.host === host);
    return known.length > 0 ? known : [ingressRule(host, { name: service, port })];
  });
  const others = spec.rules.filter(({ host }) => host === undefined);
  // Of this version only: a list is replaced as a whole.
  const body = { metadata: { uid, resourceVersion, annotations }, spec: { rules: [...rules, ...others] } };
  return { type: "merge", body };
}
