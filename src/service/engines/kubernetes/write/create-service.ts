import { randomUUID } from "node:crypto";
import type { Answer } from "../../../../api/operations.ts";
import { Refusal, type EngineRequest } from "../../../engine.ts";
import { readService, type ServiceDefinition } from "../../../workloads/definitions.ts";
import { ensureService } from "../../../workloads/definitions.ts";
import { createdService } from "../../../workloads/services/service-answer.ts";
import type { Deployment, KubeObject } from "../cluster/kinds.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { findServices, serviceNames, type FoundService } from "../read/services.ts";
import { namespaceField } from "../read/place.ts";
import { disksFor, type Disks, refuseLaterDomains, refuseTakenDomains, routedPort } from "./disks-and-domains.ts";
import { podSettingsOf, type PodSettings, refuseHostPath } from "./pod-template.ts";
import {
  createOnce,
  isTaken,
  madeBy,
  isGone,
  cacheOf,
  newNotesOf,
  type Target,
  onServiceOf,
  type WriteParts,
} from "./target.ts";
import {
  type Making,
  makeParts,
  markMade,
  otherObject,
  refuseTakenParts,
  requestOf,
  makingOf,
} from "./service-making.ts";
import { deploymentManifest, rolloutsIn } from "./service-manifests.ts";
import { repeat } from "../../../../platform/waiting.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import { labels } from "../names.ts";
import { isGantrys } from "../read/owner.ts";
import type { Region } from "../regions.ts";

/** Anything that can be refused is refused first. The Deployment decides who gets the name; the rest follows it. */
export async function createService(
  target: Target,
  { body }: Pick<EngineRequest<"createService">, "body">,
): Promise<Answer<"createService">> {
  const definition = readService(target.name, body, () => undefined);
  ensureService(definition);
  const { region, reading, name } = target;
  if (serviceNames(region, reading).isTaken(name)) {
    const holder = nameHolder(target);
    throw holder?.service.deleting === true ? beingDeleted(name) : nameTaken(target, holder);
  }
  refuseTakenParts(target, definition);
  await refuseTakenDomains(target, definition.domains);
  const port = routedPort(target.region, definition);
  const disks = await disksFor(target, definition);
  const settings = await podSettingsOf(target);
  refuseHostPath(settings, target, { volumes: [], syncTimezone: definition.syncTimezone });
  const making = { domains: [...definition.domains], port, claims: [...disks.missing] };
  const deployment = await createDeployment(target, definition, { settings, disks, making });
  await complete(target, deployment, making);
  // By its uid: another namespace may have the name by now.
  const found = findServices(target.region, target.reading).find(
    ({ source }) => source.object.metadata.uid === deployment.metadata.uid,
  );
  if (!found) throw new Error(`the new service ${target.name} isn't in the cache`);
  return { ...createdService({ ...found.service, definition }), ...namespaceField(target, found) };
}

function beingDeleted(name: string): Refusal {
  return new Refusal(409, `service ${name} is still being deleted: wait a moment`);
}

/** Undefined where several namespaces have the name, or none. */
function nameHolder({ region, reading, name }: Target): FoundService | undefined {
  return findServices(region, reading).find(({ service }) => service.name === name);
}

function nameTaken({ name, region }: Target, found?: FoundService): Refusal {
  const { kind: of, object } = found?.source ?? {};
  const kind = found?.isAdopted === true && of ? `, the ${of} of the namespace ${object?.metadata.namespace}` : "";
  const where = region.config.region;
  return new Refusal(409, `a service named ${name} already exists in ${where}${kind}: choose another name`);
}

async function createDeployment(
  target: Target,
  definition: ServiceDefinition,
  { settings, disks, making }: { readonly settings: PodSettings; readonly disks: Disks; readonly making: Making },
): Promise<Deployment> {
  const { region, namespace, name, parts } = target;
  const request = randomUUID();
  const isBare = definition.ports.length === 0 && making.domains.length === 0 && making.claims.length === 0;
  const body = deploymentManifest({
    name,
    definition,
    settings,
    rollouts: rolloutsIn(region),
    request,
    notes: newNotesOf(target),
    holdsDisk: disks.holdsDisk,
    making: isBare ? undefined : JSON.stringify(making),
  });
  const place = { kind: "Deployment", namespace } as const;
  try {
    const deployment = await createOnce(region.api, { place, name, body, isOurs: madeBy(request), clock: parts.clock });
    cacheOf(target).applyWrite("Deployment", deployment);
    return deployment;
  } catch (error) {
    if (isTaken(error)) throw await whyTaken(target);
    throw refusalOf(error, { doing: doing(target), wrote: true });
  }
}

function doing({ name }: Target): string {
  return `create the service ${name}`;
}

/** The name of a Deployment that was just deleted, of another service, or of one that Gantry doesn't show. */
async function whyTaken(target: Target): Promise<Refusal> {
  const { region, namespace, name } = target;
  const named = { kind: "Deployment", namespace, name } as const;
  const holder = await region.api.get(named).catch(() => undefined);
  if (holder?.metadata.deletionTimestamp !== undefined) return beingDeleted(name);
  if (holder) cacheOf(target).applyWrite("Deployment", holder);
  const found = nameHolder(target);
  if (!holder || found) return nameTaken(target, found);
  return otherObject({ kind: "Deployment", name, namespace });
}

/** Makes the rest, or takes everything back. */
async function complete(target: Target, deployment: Deployment, making: Making): Promise<void> {
  try {
    const routes = await makeParts(target, deployment, making);
    await refuseLaterDomains(target, routes, deployment.metadata.uid);
  } catch (error) {
    const left = await rollBack(target, deployment, making.claims);
    if (error instanceof Refusal)
      throw left === undefined ? error : new Refusal(error.status, `${error.message}. ${left}`);
    // The Deployment takes with it what a lost answer may have made.
    throw refusalOf(error, { doing: doing(target), wrote: false, left });
  }
  await markMade(target, deployment).catch((error: unknown) => {
    target.parts.onEvent("couldn't mark a service as complete; it will be checked again", { error });
  });
}

const TRIES = 3;
const PAUSE_MS = 300;

/**
 * Takes a half-made service back: its Deployment with all that it owns, and the disks made for it. Returns a sentence
 * about what is left when even that fails; undefined when nothing is.
 */
async function rollBack(
  target: Target,
  deployment: Deployment,
  claims: readonly string[],
): Promise<string | undefined> {
  const { region, namespace, name, parts } = target;
  const { metadata } = deployment;
  try {
    const named = { kind: "Deployment", namespace, name } as const;
    await insisting(target, () => region.api.delete(named, { propagation: "Foreground", uid: metadata.uid }));
    const gone = await region.api.get(named).catch(() => undefined);
    if (gone?.metadata.uid === metadata.uid) cacheOf(target).applyWrite("Deployment", gone);
    else cacheOf(target).applyDelete("Deployment", metadata);
    for (const claim of claims) await insisting(target, () => deleteNewClaim(target, claim, requestOf(deployment)));
    return undefined;
  } catch (error) {
    parts.onEvent("couldn't take back a half-made service", { error, service: name, namespace });
    return `Taking it back failed too, so the service ${name} is half-made: delete it before you try again.`;
  }
}

/** A disk of this name may be an older one of this service, with data on it, or already be another service's. */
async function deleteNewClaim({ region, namespace }: Target, claim: string, request: string): Promise<void> {
  const named = { kind: "PersistentVolumeClaim", namespace, name: claim } as const;
  const found = await region.api.get(named);
  if (!madeBy(request)(found)) return;
  await region.api.delete(named, { propagation: "Background", uid: found.metadata.uid });
}

/** Repeats a deletion whose answer may be lost; what is gone is deleted. */
async function insisting({ parts: { clock } }: Target, call: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (isGone(error)) return;
      if (tries >= TRIES) throw error;
    }
    await clock.sleep(PAUSE_MS * tries);
  }
}

const EVERY_MS = 20_000;
/** A younger one may still be in the hands of the request that makes it. */
const OLDER_THAN_MS = 30_000;

/**
 * Completes services whose creation was interrupted, by the end of this server or of another: their Deployments say what
 * is still to be made. Resolves when `closing` aborts; it never rejects.
 */
export async function finishServices(
  parts: WriteParts,
  { users, closing }: { readonly users: readonly string[]; readonly closing: AbortSignal },
): Promise<void> {
  /** Caches whose watch of Deployments was begun. */
  const watched = new Set<NamespaceCache>();
  const tell = (error: unknown, where: object): void => {
    if (!closing.aborted) parts.onEvent("couldn't complete a service; it is tried again", { ...where, error });
  };
  const finishIn = async (region: Region, username: string, namespace: string): Promise<void> => {
    const cache = region.cacheOf(namespace);
    const interrupted = () => cache.all("Deployment").filter((each) => isInterrupted(each, parts.clock.now()));
    // Their watch tells of one; to read them again when it tells of none would list all of them, each time.
    if (watched.has(cache) && interrupted().length === 0) return;
    watched.add(cache);
    await cache.current(["Deployment"], closing);
    for (const { metadata } of interrupted()) {
      const reading = { namespaces: [namespace], username, now: parts.clock.now() };
      const place = { region, reading, names: [namespace], leftOut: [], namespace } as const;
      await onServiceOf({ ...place, parts, name: metadata.name, signal: closing }, finish);
      parts.onEvent("completed a service whose creation was interrupted", { service: metadata.name, namespace });
    }
  };
  const finishOf = async (region: Region, username: string): Promise<void> => {
    if (closing.aborted) return;
    const { names = [] } = (await region.namespaces.of(username, closing)) ?? {};
    for (const namespace of names) {
      await finishIn(region, username, namespace).catch((error: unknown) => tell(error, { namespace }));
    }
  };
  const finishAll = async (): Promise<void> => {
    for (const region of parts.regions.values()) {
      for (const username of users) {
        await finishOf(region, username).catch((error: unknown) => tell(error, { region: region.config.region }));
      }
    }
  };
  await repeat(finishAll, EVERY_MS, closing, parts.clock);
}

function isInterrupted(deployment: KubeObject<"Deployment">, now: Date): boolean {
  const { metadata } = deployment;
  if (!isGantrys(metadata, labels.service) || metadata.deletionTimestamp !== undefined) return false;
  return makingOf(deployment) !== undefined && now.getTime() - Date.parse(metadata.creationTimestamp) > OLDER_THAN_MS;
}

async function finish(target: Target): Promise<void> {
  const deployment = cacheOf(target).find("Deployment", target.name);
  const making = deployment && makingOf(deployment);
  if (!making) return;
  await makeParts(target, deployment, making);
  await markMade(target, deployment);
}
