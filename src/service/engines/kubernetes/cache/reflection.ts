import type { Clock, Timer } from "../../../../platform/clock.ts";
import { type Kind, type KubeObject, kinds } from "../cluster/kinds.ts";
import { KubeError, type KubeApi, type Place } from "../cluster/kube-api.ts";
import { makeObjectStore, type ObjectStore, type Effect } from "./object-store.ts";
import { isDenied } from "../cluster/refusal-of.ts";
import { orAborted } from "../../../../platform/waiting.ts";

/** Times in milliseconds. */
export const cacheLimits = {
  /** A read older than this is not served: the objects are listed first. */
  staleAfterMs: 10_000,
  /** The same while no watch is open. */
  staleWithoutWatchMs: 5_000,
  /** A watch without event or bookmark is given up. API servers send a bookmark about once a minute. */
  silentAfterMs: 90_000,
  /** How long a watch lasts; each asks for a random time between this and the double. */
  watchSeconds: 300,
  /** A watch that ends sooner counts as failed, also without an error. */
  healthyAfterMs: 5_000,
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  /** After a missing right, a missing kind or too many objects; a read asks earlier. */
  deniedRetryMs: 300_000,
  /** The shortest time between two reads that retry a denied request. */
  deniedReadMs: 5_000,
  /** How long a read waits for the API server; the bot waits 5 s for an answer. */
  readMs: 4_000,
  pageSize: 500,
  maxObjects: 50_000,
};

export type CacheLimits = Readonly<typeof cacheLimits>;

/** How the list and the watch of a kind in a namespace go. */
export type ReadHealth = {
  readonly kind: Kind;
  readonly namespace: string;
  /** The newest error. */
  readonly failure: { readonly since: Date; readonly error: unknown } | undefined;
};

export type ReflectorOptions<K extends Kind> = {
  readonly api: Pick<KubeApi, "list" | "watch">;
  readonly place: Place<K>;
  readonly labelSelector?: string | undefined;
  /** One for all caches of a cluster. */
  readonly reconnects: Reconnects;
  readonly clock: Clock;
  readonly limits?: Partial<CacheLimits>;
  readonly onEvent: (message: string, data: object) => void;
};

/** The state of one reflector, shared by its parts: list, watch, reads and the loop that starts them again. */
export type Reflection<K extends Kind> = Omit<ReflectorOptions<K>, "limits"> & {
  readonly limits: CacheLimits;
  readonly store: ObjectStore<K>;
  readonly listeners: Set<(seen?: KubeObject<K>) => void>;
  readonly closing: AbortController;
  /** When the objects were last known to be current; of `clock.elapsedMs`, as all moments here. */
  aliveAt?: number;
  /** A watch broke, and no list has told yet what happened meanwhile. */
  mayBeStale: boolean;
  isWatching: boolean;
  /** The next request follows a failure, so it waits for its turn among all of the cluster. */
  isUnsettled: boolean;
  /** The watch can't go on where it ended. */
  mustList: boolean;
  /** Consecutive failures. */
  failures: number;
  /** An error that lasts until the cluster is changed. */
  denied?: { readonly error: unknown; readonly by: Request; readonly at: number } | undefined;
  /** What the operator was told of. */
  failure?: ReadHealth["failure"];
  /** How many reads wait for a list. */
  readers: number;
  listing?: Promise<void> | undefined;
  watch?: AbortController | undefined;
  /** Ends the pause before the next try. */
  wake: () => void;
};

/** Why a watch is ended on purpose: the next one goes on where the store is. */
export const RESUME = new Error("the watch goes on where the store is");

type Request = "list" | "watch";

export function makeReflection<K extends Kind>({ limits, ...options }: ReflectorOptions<K>): Reflection<K> {
  return {
    ...options,
    limits: { ...cacheLimits, ...limits },
    store: makeObjectStore<K>(),
    listeners: new Set(),
    closing: new AbortController(),
    mayBeStale: false,
    isWatching: false,
    isUnsettled: false,
    mustList: true,
    failures: 0,
    readers: 0,
    wake: () => undefined,
  };
}

/** `seen`: the only object that changed. */
export function tellListeners<K extends Kind>(reflection: Reflection<K>, effect: Effect, seen?: KubeObject<K>): void {
  if (effect === "same") return;
  for (const listener of reflection.listeners) {
    try {
      listener(seen);
    } catch (error) {
      reflection.onEvent("a listener of the Kubernetes cache failed", { ...whereOf(reflection), error });
    }
  }
}

/** For the operator's log. */
export function whereOf<K extends Kind>({ place }: Pick<Reflection<K>, "place">) {
  return { namespace: place.namespace, kind: place.kind };
}

export function noteFailure<K extends Kind>(reflection: Reflection<K>, error: unknown, by: Request): void {
  const { clock, denied, failure, place } = reflection;
  const at = clock.elapsedMs();
  reflection.isUnsettled = true;
  if (by === "watch") reflection.mayBeStale = true;
  // A kind that was denied before the outage stays denied, so that its readers don't wait.
  if (denied && error instanceof KubeError && error.isEarly) reflection.denied = { ...denied, at };
  else if (isDenied(error)) {
    reflection.denied = { error, by, at };
    reflection.mustList = true;
    reflection.store.clear();
    reflection.watch?.abort(RESUME);
  } else if (error instanceof KubeError && by === "watch" && !canResume(error, reflection.failures)) {
    reflection.mustList = true;
  }
  reflection.failure = { since: failure?.since ?? clock.now(), error };
  if (failure) return;
  reflection.onEvent(`Kubernetes: the ${by} of ${kinds[place.kind].plural} failed`, { ...whereOf(reflection), error });
}

/** An API server that is overloaded or starting knows the version again later; 410 and others mean that it is gone. */
function canResume({ status }: KubeError, failures: number): boolean {
  return (status === 429 || status >= 500) && failures < 3;
}

export function noteRecovery<K extends Kind>(reflection: Reflection<K>): void {
  const { clock, failure, place } = reflection;
  if (!failure) return;
  reflection.failure = undefined;
  const afterMs = clock.now().getTime() - failure.since.getTime();
  reflection.onEvent(`Kubernetes: ${kinds[place.kind].plural} are current again`, { ...whereOf(reflection), afterMs });
}

const EVERY_MS = 1_000;

type Waiting = { readonly signal: AbortSignal; readonly isAwaited: () => boolean; readonly go: () => void };

export type Reconnects = ReturnType<typeof makeReconnects>;

/**
 * Spreads what all caches of a cluster send after failures, so that an API server that comes back, or a load balancer
 * that closed every watch at once, doesn't get all of it in one moment.
 */
export function makeReconnects(clock: Pick<Clock, "elapsedMs" | "after">) {
  let queue: readonly Waiting[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  const next = (): void => {
    timer?.cancel();
    queue = queue.filter(({ signal }) => !signal.aborted);
    const first = queue.find(({ isAwaited }) => isAwaited()) ?? queue[0];
    if (!first) return;
    const waitMs = last + EVERY_MS - clock.elapsedMs();
    if (waitMs > 0) {
      timer = clock.after(Math.ceil(waitMs), next);
      return;
    }
    last = clock.elapsedMs();
    queue = queue.filter((each) => each !== first);
    first.go();
    next();
  };
  return {
    /**
     * Resolves when the caller may send its request, and the watch after a list: one caller per second, those that somebody
     * waits for first. Rejects with the signal's reason.
     */
    async turn(signal: AbortSignal, isAwaited: () => boolean) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      queue = [...queue, { signal, isAwaited, go: resolve }];
      next();
      await orAborted(promise, signal);
    },
  };
}
