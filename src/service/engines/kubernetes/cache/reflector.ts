import { backOffMs, orAborted } from "../../../../platform/waiting.ts";
import { Refusal } from "../../../engine.ts";
import { KubeError, KubeUnreachable, type WatchEvent } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";
import {
  type ReadHealth,
  makeReflection,
  type Reflection,
  type ReflectorOptions,
  tellListeners,
  noteFailure,
  noteRecovery,
  RESUME,
  whereOf,
} from "./reflection.ts";
import { readRefusal, TooManyObjects } from "../cluster/refusal-of.ts";
import type { FullList, Effect } from "./object-store.ts";

export type Reflector<K extends Kind> = ReturnType<typeof makeReflector<K>>;

/**
 * The objects of one kind in one namespace, as `openNamespaceCache` describes them. Lists and watches from the first
 * `current` or `onChange` on.
 */
export function makeReflector<K extends Kind>(options: ReflectorOptions<K>) {
  const reflection = makeReflection(options);
  const { store, listeners, closing } = reflection;
  let running: Promise<void> | undefined;
  const start = (): void => {
    if (!closing.signal.aborted) running ??= keepCurrent(reflection);
  };
  return {
    async current(signal?: AbortSignal) {
      start();
      await readCurrent(reflection, signal);
    },
    all: store.all,
    find: store.find,
    applyWrite(object: KubeObject<K>) {
      const effect = store.applyWrite(object);
      // Which of the two is newer can't be told: the next read lists.
      if (effect === "unordered") reflection.mayBeStale = true;
      else tellListeners(reflection, effect);
    },
    applyDelete: (named: Parameters<typeof store.applyDelete>[0]) =>
      tellListeners(reflection, store.applyDelete(named)),
    onChange(listener: (seen?: KubeObject<K>) => void) {
      start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Undefined before the first read. */
    health: (): ReadHealth | undefined => (running ? { ...options.place, failure: reflection.failure } : undefined),
    async close() {
      closing.abort();
      reflection.watch?.abort(closing.signal.reason);
      reflection.wake();
      await Promise.allSettled([running, reflection.listing]);
    },
  };
}

/** Lists if needed, then watches, again and again. The pause after a failure is the only timer that starts a request. */
async function keepCurrent<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { closing } = reflection;
  while (!closing.signal.aborted) {
    try {
      if (reflection.mustList) await listObjects(reflection);
      await watchObjects(reflection);
    } catch (error) {
      if (closing.signal.aborted) return;
      reflection.failures += 1;
      await pause(reflection, error);
    }
  }
}

async function pause<K extends Kind>(reflection: Reflection<K>, error: unknown): Promise<void> {
  const { clock, limits, denied, failures } = reflection;
  const { firstRetryMs: firstMs, longestRetryMs: longestMs, deniedRetryMs } = limits;
  const asked = error instanceof KubeError ? Math.min(60, error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const ms = denied ? deniedRetryMs : backOffMs(failures, { firstMs, longestMs, jitter: 0.5 });
  const woken = new AbortController();
  reflection.wake = () => woken.abort();
  await clock.sleep(Math.max(ms, asked), woken.signal).catch(() => undefined);
  reflection.wake = () => undefined;
}

/** Resolves when the objects are current, after a list if need be. Rejects with a Refusal, or the signal's reason. */
async function readCurrent<K extends Kind>(reflection: Reflection<K>, signal?: AbortSignal): Promise<void> {
  const { clock, closing, limits } = reflection;
  const startedAt = clock.elapsedMs();
  signal?.throwIfAborted();
  if (closing.signal.aborted) throw stopping();
  refuseDenied(reflection);
  if (isCurrent(reflection, startedAt)) return;
  const late = clock.limit(limits.readMs);
  const ended = AbortSignal.any([late, closing.signal, ...(signal ? [signal] : [])]);
  reflection.readers += 1;
  try {
    while (!isCurrent(reflection, startedAt)) await orAborted(listObjects(reflection), ended);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (closing.signal.aborted) throw stopping();
    const { place, aliveAt } = reflection;
    const ageMs = aliveAt === undefined ? undefined : clock.elapsedMs() - aliveAt;
    throw readRefusal(place, late.aborted ? lateError(reflection) : error, ageMs);
  } finally {
    reflection.readers -= 1;
  }
}

function stopping(): Refusal {
  return new Refusal(503, "Gantry is stopping. Nothing was changed. Try again.");
}

/** As of `at`, when the read began: a list that takes long is still current for those who waited for it. */
function isCurrent<K extends Kind>({ aliveAt, mayBeStale, isWatching, limits }: Reflection<K>, at: number): boolean {
  if (aliveAt === undefined || mayBeStale) return false;
  return at - aliveAt <= (isWatching ? limits.staleAfterMs : limits.staleWithoutWatchMs);
}

function refuseDenied<K extends Kind>(reflection: Reflection<K>): void {
  const { clock, denied, limits, place } = reflection;
  if (!denied) return;
  // Somebody may have granted the right: the next read shows it.
  if (clock.elapsedMs() - denied.at > limits.deniedReadMs) reflection.wake();
  throw readRefusal(place, denied.error, undefined);
}

function lateError<K extends Kind>({ failure, isUnsettled, limits }: Reflection<K>): Error {
  const seconds = `${limits.readMs / 1_000} s`;
  const last = failure?.error instanceof Error ? ` after a failure: ${failure.error.message}` : "";
  return new KubeUnreachable(
    isUnsettled ? `not back after ${seconds}${last}` : `the list takes longer than ${seconds}`,
  );
}

/** Lists the objects into the store. Concurrent callers share one list. */
function listObjects<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  if (reflection.listing) return reflection.listing;
  const listing = listNow(reflection).finally(() => (reflection.listing = undefined));
  // The read may have given up by now; then nobody handles a rejection.
  listing.catch(() => undefined);
  reflection.listing = listing;
  return listing;
}

async function listNow<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { clock, closing, reconnects, store } = reflection;
  if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => reflection.readers > 0);
  try {
    const startedAt = clock.elapsedMs();
    const take = store.startList();
    noteList(reflection, take(await allPages(reflection)), startedAt);
  } catch (error) {
    if (!closing.signal.aborted) noteFailure(reflection, error, "list");
    throw error;
  }
}

function noteList<K extends Kind>(reflection: Reflection<K>, effect: Effect, startedAt: number): void {
  reflection.aliveAt = startedAt;
  reflection.mayBeStale = false;
  reflection.mustList = false;
  if (reflection.denied?.by === "list") reflection.denied = undefined;
  // The server answers again, so the watch follows its list at once: if it had to wait for a turn of its own, the lists of
  // many kinds would grow old before their watches begin, and readers would list them again and again.
  reflection.isUnsettled = false;
  if (reflection.isWatching) {
    // The watch should have told of the change before; another one takes its place, and waits for its turn.
    reflection.isUnsettled = effect !== "same";
    if (effect !== "same") reflection.watch?.abort(RESUME);
    noteRecovery(reflection);
  }
  tellListeners(reflection, effect);
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
    if (items.length > limits.maxObjects) throw new TooManyObjects(place.kind, limits.maxObjects);
    next = page.next;
    if (next !== undefined) continue;
    if (unreadable > 0) reflection.onEvent("Kubernetes: objects can't be read", { ...whereOf(reflection), unreadable });
    return { items, resourceVersion: page.resourceVersion };
  }
}

/** Watches the objects until the watch ends as usual. Rejects when it failed, ended too soon or fell silent. */
async function watchObjects<K extends Kind>(reflection: Reflection<K>): Promise<void> {
  const { clock, closing, reconnects } = reflection;
  if (reflection.isUnsettled) await reconnects.turn(closing.signal, () => false);
  const stop = new AbortController();
  reflection.watch = stop;
  const startedAt = clock.elapsedMs();
  const isYoung = (): boolean => clock.elapsedMs() - startedAt < reflection.limits.healthyAfterMs;
  try {
    await watchUntil(reflection, stop);
    if (isYoung()) throw new KubeUnreachable("the watch ended as soon as it had begun");
    reflection.failures = 0;
  } catch (error) {
    if (!isYoung()) reflection.failures = 0;
    if (closing.signal.aborted || error === RESUME) return;
    noteFailure(reflection, error, error instanceof TooManyObjects ? "list" : "watch");
    throw error;
  } finally {
    reflection.isWatching = false;
    reflection.watch = undefined;
  }
}

async function watchUntil<K extends Kind>(reflection: Reflection<K>, stop: AbortController): Promise<void> {
  const { api, place, labelSelector, limits, store, clock } = reflection;
  const untilSilent = () =>
    clock.after(limits.silentAfterMs, () => {
      // Not worth an operator's attention: some API servers send no bookmarks for a kind that never changes.
      reflection.mayBeStale = true;
      reflection.isUnsettled = true;
      stop.abort(RESUME);
    });
  let silence = untilSilent();
  const options = {
    resourceVersion: store.version() ?? "",
    timeoutSeconds: Math.ceil(limits.watchSeconds * (1 + Math.random())),
    ...(labelSelector !== undefined && { labelSelector }),
    onOpen() {
      reflection.isWatching = true;
      reflection.isUnsettled = false;
      if (reflection.denied?.by === "watch") reflection.denied = undefined;
      noteRecovery(reflection);
    },
    onEvent(event: WatchEvent<K>) {
      if (stop.signal.aborted) return;
      silence.cancel();
      silence = untilSilent();
      reflection.aliveAt = clock.elapsedMs();
      tellListeners(reflection, store.applyEvent(event), "object" in event ? event.object : undefined);
      if (store.size() > limits.maxObjects) stop.abort(new TooManyObjects(place.kind, limits.maxObjects));
    },
  };
  try {
    await api.watch(place, options, stop.signal);
  } finally {
    silence.cancel();
  }
}
