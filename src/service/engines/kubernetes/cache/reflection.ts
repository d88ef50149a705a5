import type { Clock } from "../../../../platform/clock.ts";
import { type Kind, type KubeObject, kinds } from "../cluster/kinds.ts";
import { KubeError, type KubeApi, type Place, KubeUnreachable } from "../cluster/kube-api.ts";
import { makeObjectStore, type ObjectStore, type Effect } from "./object-store.ts";
import { isDenied } from "./read-refusal.ts";
import type { Reconnects } from "./reconnects.ts";

/** Times in milliseconds. */
export type CacheLimits = {
  /** A read older than this is not served: the objects are listed first. */
  readonly staleAfterMs: number;
  /** The same while no watch is open. */
  readonly staleWithoutWatchMs: number;
  /** For this long, the events of a resumed watch may be those that were missed. */
  readonly catchUpMs: number;
  /** A watch without event or bookmark is given up. API servers send a bookmark about once a minute. */
  readonly silentAfterMs: number;
  /** How long a watch lasts; each asks for a random time between this and the double. */
  readonly watchSeconds: number;
  /** A watch that ends sooner counts as failed, also without an error. */
  readonly healthyAfterMs: number;
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** After a missing right, a missing kind or too many objects; a read asks earlier. */
  readonly deniedRetryMs: number;
  /** The shortest time between two reads that retry a denied request. */
  readonly deniedReadMs: number;
  /** How long a read waits for the API server; the bot waits 5 s for an answer. */
  readonly readMs: number;
  readonly pageSize: number;
  readonly maxObjects: number;
};

export const cacheLimits: CacheLimits = {
  staleAfterMs: 10_000,
  staleWithoutWatchMs: 5_000,
  catchUpMs: 1_000,
  silentAfterMs: 90_000,
  watchSeconds: 300,
  healthyAfterMs: 5_000,
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  deniedRetryMs: 300_000,
  deniedReadMs: 5_000,
  readMs: 4_000,
  pageSize: 500,
  maxObjects: 50_000,
};

/** How the list and the watch of a kind in a namespace go. */
export type ReadHealth = {
  readonly kind: Kind;
  readonly namespace: string;
  readonly failure: ReadFailure | undefined;
};

export type ReadFailure = {
  readonly since: Date;
  /** The newest one. */
  readonly error: unknown;
};

export function readHealthOf<K extends Kind>(reflection: Reflection<K>): ReadHealth {
  const { place, failingSince, lastError } = reflection;
  return {
    kind: place.kind,
    namespace: place.namespace,
    failure: failingSince && { since: failingSince.at, error: lastError },
  };
}

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
  aliveAt: number | undefined;
  /** A watch broke, and neither a list nor its successor has told yet what happened meanwhile. */
  mayBeStale: boolean;
  isWatching: boolean;
  /** The next request follows a failure, so it waits for its turn among all of the cluster. */
  isUnsettled: boolean;
  /** The watch can't go on where it ended. */
  mustList: boolean;
  /** The watch was silent: the objects are counted before the next one. */
  mustCount: boolean;
  /** Objects of the last list that lack a needed field, so that they aren't in the store. */
  unreadable: number;
  /** Consecutive failures. */
  failures: number;
  /** An error that lasts until the cluster is changed. */
  denied: { readonly error: unknown; readonly by: Request; readonly at: number } | undefined;
  lastError: unknown;
  /** When the failure began that the operator was told of. */
  failingSince: { readonly at: Date; readonly elapsedMs: number } | undefined;
  /** How many reads wait for a list. */
  readers: number;
  listing: Promise<void> | undefined;
  watch: AbortController | undefined;
  /** Ends the pause before the next try. */
  wake: () => void;
};

/** Why a watch is ended on purpose: the next one goes on from a newer list. */
export const RESUME = new Error("the watch goes on from a newer list");

type Request = "list" | "watch";

export function makeReflection<K extends Kind>({ limits, ...options }: ReflectorOptions<K>): Reflection<K> {
  return {
    ...options,
    limits: { ...cacheLimits, ...limits },
    store: makeObjectStore<K>(),
    listeners: new Set(),
    closing: new AbortController(),
    aliveAt: undefined,
    mayBeStale: false,
    isWatching: false,
    isUnsettled: false,
    mustList: true,
    mustCount: false,
    unreadable: 0,
    failures: 0,
    denied: undefined,
    lastError: undefined,
    failingSince: undefined,
    readers: 0,
    listing: undefined,
    watch: undefined,
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

/** Not worth an operator's attention: some API servers send no bookmarks for a kind that never changes. */
export class WatchSilent extends KubeUnreachable {}

export function noteFailure<K extends Kind>(reflection: Reflection<K>, error: unknown, by: Request): void {
  const { clock } = reflection;
  const now = clock.elapsedMs();
  reflection.isUnsettled = true;
  reflection.lastError = error;
  if (by === "watch") reflection.mayBeStale = true;
  // A kind that was denied before the outage stays denied, so that its readers don't wait.
  if (reflection.denied && error instanceof KubeError && error.isEarly) {
    reflection.denied = { ...reflection.denied, at: now };
  } else if (isDenied(error)) {
    reflection.denied = { error, by, at: now };
    reflection.mustList = true;
    reflection.store.clear();
    reflection.watch?.abort(RESUME);
  } else if (error instanceof KubeError && by === "watch" && !canResume(error, reflection.failures)) {
    reflection.mustList = true;
  }
  if (reflection.failingSince !== undefined || error instanceof WatchSilent) return;
  reflection.failingSince = { at: clock.now(), elapsedMs: now };
  const what = `Kubernetes: the ${by} of ${kinds[reflection.place.kind].plural} failed`;
  reflection.onEvent(what, { ...whereOf(reflection), error });
}

/** An API server that is overloaded or starting knows the version again later; 410 and others mean that it is gone. */
function canResume({ status }: KubeError, failures: number): boolean {
  return (status === 429 || status >= 500) && failures < 3;
}

export function noteRecovery<K extends Kind>(reflection: Reflection<K>): void {
  if (reflection.failingSince === undefined) return;
  const afterMs = Math.round(reflection.clock.elapsedMs() - reflection.failingSince.elapsedMs);
  reflection.failingSince = undefined;
  reflection.onEvent(`Kubernetes: ${kinds[reflection.place.kind].plural} are current again`, {
    ...whereOf(reflection),
    afterMs,
  });
}
