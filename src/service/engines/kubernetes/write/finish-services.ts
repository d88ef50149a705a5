import { repeat } from "../../../../platform/waiting.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import { isGantrys } from "../read/owner.ts";
import type { Region } from "../regions.ts";
import { makeParts, makingOf, markMade } from "./service-making.ts";
import { cacheOf, onServiceOf, type Target, type WriteParts } from "./target.ts";

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
  const finishOf = async (region: Region, username: string): Promise<void> => {
    if (closing.aborted) return;
    const { names = [] } = (await region.namespaces.of(username, closing)) ?? {};
    for (const namespace of names) {
      const place = { region, username, namespace, closing };
      await finishIn(parts, place, watched).catch((error: unknown) => tell(error, { namespace }));
    }
  };
  const finish = async (): Promise<void> => {
    for (const region of parts.regions.values()) {
      for (const username of users) {
        await finishOf(region, username).catch((error: unknown) => tell(error, { region: region.config.region }));
      }
    }
  };
  await repeat(finish, EVERY_MS, closing, parts.clock);
}

type Place = {
  readonly region: Region;
  readonly username: string;
  readonly namespace: string;
  readonly closing: AbortSignal;
};

async function finishIn(parts: WriteParts, place: Place, watched: Set<NamespaceCache>): Promise<void> {
  const { region, username, namespace, closing: signal } = place;
  const cache = region.cacheOf(namespace);
  const interrupted = () => cache.all("Deployment").filter((each) => isInterrupted(each, parts.clock.now()));
  // Their watch tells of one; to read them again when it tells of none would list all of them, each time.
  if (watched.has(cache) && interrupted().length === 0) return;
  watched.add(cache);
  await cache.current(["Deployment"], signal);
  for (const { metadata } of interrupted()) {
    const reading = { namespaces: [namespace], username, now: parts.clock.now() };
    const { name } = metadata;
    await onServiceOf({ parts, region, reading, names: [namespace], leftOut: [], namespace, name, signal }, finish);
    parts.onEvent("completed a service whose creation was interrupted", { service: name, namespace });
  }
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
