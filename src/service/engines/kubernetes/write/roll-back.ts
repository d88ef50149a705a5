import { setTimeout as pause } from "node:timers/promises";
import type { KubeObject } from "../cluster/kinds.ts";
import { isGone, madeBy } from "./sent-once.ts";
import { requestOf } from "./service-making.ts";
import { cacheOf, type Target } from "./target.ts";

const TRIES = 3;
const PAUSE_MS = 300;

/**
 * Takes a half-made service back: its Deployment with all that it owns, and the disks made for it. Returns a sentence
 * about what is left when even that fails; undefined when nothing is.
 */
export async function rollBack(
  target: Target,
  deployment: KubeObject<"Deployment">,
  claims: readonly string[],
): Promise<string | undefined> {
  const { region, namespace, name, parts } = target;
  const { metadata } = deployment;
  try {
    const named = { kind: "Deployment", namespace, name } as const;
    await insisting(() => region.api.delete(named, { propagation: "Foreground", uid: metadata.uid }));
    const gone = await region.api.get(named).catch(() => undefined);
    if (gone?.metadata.uid === metadata.uid) cacheOf(target).saw("Deployment", gone);
    else cacheOf(target).sawDeleted("Deployment", metadata);
    for (const claim of claims) await insisting(() => deleteNewClaim(target, claim, requestOf(deployment)));
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
async function insisting(call: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (isGone(error)) return;
      if (tries >= TRIES) throw error;
    }
    await pause(PAUSE_MS * tries);
  }
}
