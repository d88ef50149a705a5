import type { Kind, KubeObject } from "../cluster/kinds.ts";
import type { FullList, Taken } from "./object-store.ts";
import { tooMany } from "./read-refusal.ts";
import { noteFailure, noteRecovery, type Reflection, RESUME, tellListeners, whereOf } from "./reflection.ts";

/** Lists the objects into the store. Concurrent callers share one list. */
export function listObjects<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  if (reflection.listing) return reflection.listing;
  const listing = listNow(reflection).finally(() => (reflection.listing = undefined));
  // The read may have given up by now; then nobody handles a rejection.
  listing.catch(() => undefined);
  reflection.listing = listing;
  return listing;
}

/**
 * After a watch was silent: asks for one object, with the number of the others. The next watch goes on where the silent one
 * ended and tells what was missed. All objects are listed only if their number differs: then the watch can't be trusted.
 */
export async function countObjects<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { api, place, labelSelector, closing, reconnects, store } = reflection;
  if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => reflection.readers > 0);
  try {
    const options = { limit: 1, ...(labelSelector !== undefined && { labelSelector }) };
    const { items, unreadable, remaining } = await api.list(place, options, closing.signal);
    reflection.mustCount = false;
    // Unknown with a selector, and on old API servers.
    if (remaining === undefined) return;
    if (items.length + unreadable + remaining !== store.size() + reflection.unreadable) reflection.mustList = true;
  } catch (error) {
    if (!closing.signal.aborted) noteFailure(reflection, error, "list");
    throw error;
  }
}

async function listNow<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { closing, reconnects, store } = reflection;
  if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => reflection.readers > 0);
  try {
    const startedAt = performance.now();
    const take = store.startList();
    listed(reflection, take(await allPages(reflection)), startedAt);
  } catch (error) {
    if (!closing.signal.aborted) noteFailure(reflection, error, "list");
    throw error;
  }
}

function listed<K extends Kind>(reflection: Reflection<K>, taken: Taken, startedAt: number): void {
  reflection.aliveAt = startedAt;
  reflection.isDoubted = false;
  reflection.mustList = false;
  reflection.mustCount = false;
  if (reflection.denied?.by === "list") reflection.denied = undefined;
  if (reflection.isWatching) {
    // The watch should have told of the change before; another one takes its place, and waits for its turn.
    reflection.isUnsettled = taken !== "same";
    if (taken !== "same") reflection.watch?.abort(RESUME);
    noteRecovery(reflection);
  }
  tellListeners(reflection, taken);
  reflection.wake();
}

async function allPages<K extends Kind>(reflection: Reflection<K>): Promise<FullList<K>> {
  const { api, place, labelSelector, closing, limits } = reflection;
  const options = { limit: limits.pageSize, ...(labelSelector !== undefined && { labelSelector }) };
  const items: KubeObject<K>[] = [];
  let next: string | undefined;
  let unreadable = 0;
  for (;;) {
    const page = await api.list(place, { ...options, ...(next !== undefined && { next }) }, closing.signal);
    // One by one: a server may answer with all it has, which is too much for one call.
    for (const item of page.items) items.push(item);
    unreadable += page.unreadable;
    if (items.length > limits.maxObjects) throw tooMany(place.kind, limits.maxObjects);
    next = page.next;
    if (next !== undefined) continue;
    reflection.unreadable = unreadable;
    if (unreadable > 0) reflection.onEvent("Kubernetes: objects can't be read", { ...whereOf(reflection), unreadable });
    return { items, resourceVersion: page.resourceVersion };
  }
}
