import type { Clock } from "../../../../platform/clock.ts";
import { annotations, MANAGED_BY, labels } from "../names.ts";
import { type KubeApi, KubeError, type Named } from "../cluster/kube-api.ts";
import type { KubeObject } from "../cluster/kinds.ts";

const LEASE_NAME = "gantry-log-collector";

export type LeaseOptions = {
  readonly api: Pick<KubeApi, "get" | "create" | "replace">;
  readonly namespace: string;
  /** Unique for each process: `HOST_UUID`. */
  readonly identity: string;
  /** The log store that this process writes to. Rejects while that can't be asked. */
  readonly storeId: () => Promise<string>;
  readonly clock: Clock;
  /** How often the lease is renewed, or looked at. */
  readonly renewMs: number;
  /** A lease that nobody renewed for this long may be taken over by a replica with the same store. */
  readonly durationMs: number;
  /** The same for another store: its lines would be in two places, so the first one gets time to come back. */
  readonly otherStoreMs: number;
  /** The same for another store, after a normal stop: a restart must not lose the lease. */
  readonly releasedMs: number;
  /** Works while the lease is held; ends when the signal is aborted. Never rejects. */
  readonly whileHeld: (signal: AbortSignal) => Promise<void>;
  readonly onEvent: (message: string, data: object) => void;
};

export type LogLease = {
  /** True while no other replica can have taken the lease, also after this process was paused. */
  readonly isHeld: () => boolean;
  /** Why no replica holds it; undefined if one does. */
  readonly problem: () => string | undefined;
  /** The identity on the lease. */
  readonly holder: () => string | undefined;
  /** Who collects, or did at last, if it is into another store than this process's. */
  readonly elsewhere: () => OtherCollector | undefined;
  /** Resolves once the lease was looked at, or couldn't be. */
  readonly looked: Promise<void>;
  /** Ends the work and gives the lease back. */
  readonly close: () => Promise<void>;
};

/** A Gantry with another log store. */
export type OtherCollector = {
  /** The name of its host; undefined once it gave the lease back. */
  readonly host: string | undefined;
  /** Whether it renewed the lease lately. */
  readonly isAlive: boolean;
};

type Observed = { readonly lease: KubeObject<"Lease">; readonly atMs: number };

/**
 * Holds the lease, or waits for it, until it is closed. At most one replica holds it at a time. The lease names the log
 * store of its holder: who has another one reads from Kubernetes meanwhile.
 */
export function keepLease(options: LeaseOptions): LogLease {
  const closing = new AbortController();
  const looked = Promise.withResolvers<void>();
  const state: LeaseState = {
    store: undefined,
    seen: undefined,
    renewed: undefined,
    work: undefined,
    failure: undefined,
    looked: looked.resolve,
    told: undefined,
  };
  const loop = keep(options, state, closing.signal);
  return {
    isHeld: () => isHeld(options, state),
    problem: () => problemOf(options, state),
    holder: () => state.seen?.lease.spec.holderIdentity,
    elsewhere: () => elsewhere(options, state),
    looked: looked.promise,
    async close() {
      closing.abort();
      await loop;
      await endWork(state);
      await giveBack(options, state);
    },
  };
}

type Work = { readonly stop: AbortController; readonly over: Promise<void> };
type LeaseState = {
  /** The id of the own log store, once it is known. */
  store: string | undefined;
  /** The newest version, and when it was first seen. */
  seen: Observed | undefined;
  /** When the request of the last renewal left, by both clocks: the monotonic one stops while a machine sleeps. */
  renewed: { readonly elapsedMs: number; readonly wallMs: number } | undefined;
  work: Work | undefined;
  failure: { readonly message: string; readonly sinceMs: number } | undefined;
  readonly looked: () => void;
  /** The host of the other Gantry that the operator was told of. */
  told: string | undefined;
};

function isHeld({ clock, durationMs }: LeaseOptions, { renewed }: LeaseState): boolean {
  if (!renewed) return false;
  const age = Math.max(clock.elapsedMs() - renewed.elapsedMs, clock.now().getTime() - renewed.wallMs);
  return age < durationMs;
}

function problemOf(options: LeaseOptions, state: LeaseState): string | undefined {
  if (isHeld(options, state)) return undefined;
  const { seen, failure } = state;
  const at = options.clock.elapsedMs();
  if (failure && at - failure.sinceMs >= options.durationMs) {
    return `the lease ${options.namespace}/${LEASE_NAME} of the log collector can't be used: ${failure.message}`;
  }
  const isFree = seen && (seen.lease.spec.holderIdentity ?? "") === "";
  if (seen && (isFree || at - seen.atMs >= 2 * options.durationMs)) return "no replica of Gantry collects logs";
  return undefined;
}

function elsewhere(options: LeaseOptions, { seen, store, renewed }: LeaseState): OtherCollector | undefined {
  const theirs = seen && storeOf(seen.lease);
  if (renewed || theirs === undefined || theirs === store) return undefined;
  const identity = seen?.lease.spec.holderIdentity ?? "";
  const isAlive = identity !== "" && options.clock.elapsedMs() - (seen?.atMs ?? 0) < 2 * options.durationMs;
  return { host: identity === "" ? undefined : identity.replace(/_[^_]*$/u, ""), isAlive };
}

/** Undefined if the lease was last written by a Gantry from before stores had ids. */
function storeOf(lease: KubeObject<"Lease">): string | undefined {
  return lease.metadata.annotations[annotations.logStore];
}

/** A file outside of the cluster: a laptop's, as far as can be told. Others have a better right to collect. */
function isLaptops(store: string): boolean {
  return store.startsWith("sqlite-");
}

async function keep(options: LeaseOptions, state: LeaseState, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  while (!signal.aborted) {
    try {
      await step(options, state, AbortSignal.any([signal, clock.limit(options.renewMs)]));
      if (state.failure) options.onEvent("the lease of the log collector can be used again", {});
      state.failure = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (!state.failure) options.onEvent("the lease of the log collector can't be used", { error });
      const message = error instanceof Error ? error.message : String(error);
      state.failure = { message, sinceMs: state.failure?.sinceMs ?? clock.elapsedMs() };
    }
    state.looked();
    tellOfOther(options, state);
    if (!isHeld(options, state)) await endWork(state);
    else if (!state.work) {
      options.onEvent("collecting logs", {});
      const stop = new AbortController();
      state.work = { stop, over: options.whileHeld(stop.signal) };
    }
    // A little apart, so that replicas don't all try at once.
    await clock.sleep(options.renewMs * (0.8 + Math.random() * 0.2), signal).catch(() => undefined);
  }
}

function tellOfOther(options: LeaseOptions, state: LeaseState): void {
  const other = elsewhere(options, state);
  const host = other?.isAlive ? other.host : undefined;
  if (host !== undefined && host !== state.told) {
    options.onEvent("a Gantry with a log store of its own collects the logs, so they are read live here", { host });
  }
  state.told = host;
}

async function endWork(state: LeaseState): Promise<void> {
  const { work } = state;
  state.work = undefined;
  work?.stop.abort(new Error("another replica may collect logs by now"));
  await work?.over;
}

/** Looks at the lease, and takes or renews it. */
async function step(options: LeaseOptions, state: LeaseState, signal: AbortSignal): Promise<void> {
  const { api, identity, clock } = options;
  const store = (state.store ??= await options.storeId());
  const named = nameOf(options);
  const leaves = { elapsedMs: clock.elapsedMs(), wallMs: clock.now().getTime() };
  const lease = await api.get(named, signal).catch(async (error: unknown) => {
    if (!(error instanceof KubeError && error.status === 404)) throw error;
    return await unlessTaken(
      api.create({ kind: "Lease", namespace: options.namespace }, bodyOf(options, store, undefined), signal),
    );
  });
  if (!lease) return;
  see(state, lease, leaves.elapsedMs);
  const isOurs = lease.spec.holderIdentity === identity;
  if (!isOurs) state.renewed = undefined;
  const silentMs = clock.elapsedMs() - (state.seen?.atMs ?? clock.elapsedMs());
  if (!isOurs && silentMs < graceMs(options, lease, store)) return;
  const written = await unlessTaken(api.replace(named, bodyOf(options, store, lease), signal));
  if (!written) return;
  see(state, written, leaves.elapsedMs);
  state.renewed = leaves;
}

/**
 * How long a lease must have been unchanged, seen by the own clock, before a replica with this store may take it: clocks
 * of machines differ.
 */
function graceMs({ durationMs, otherStoreMs, releasedMs }: LeaseOptions, lease: KubeObject<"Lease">, store: string) {
  const { holderIdentity = "", leaseDurationSeconds = 0 } = lease.spec;
  const theirs = storeOf(lease);
  const isFree = holderIdentity === "";
  const expiresMs = Math.max(durationMs, leaseDurationSeconds * 1_000);
  if (theirs === undefined || theirs === store) return isFree ? 0 : expiresMs;
  // A laptop that collected while nobody else did gives way.
  if (isLaptops(theirs) && !isLaptops(store)) return 0;
  return isFree ? releasedMs : Math.max(otherStoreMs, expiresMs);
}

function see(state: LeaseState, lease: KubeObject<"Lease">, atMs: number): void {
  if (state.seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return;
  state.seen = { lease, atMs };
}

/** Another replica was faster; the next step sees it. */
async function unlessTaken<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof KubeError && error.status === 409) return undefined;
    throw error;
  }
}

/**
 * A renewal that the end cut off may have reached the cluster all the same, so the lease as last seen can be outdated. It
 * is given back also when it is over by the own clock: what counts is that it names this replica.
 */
async function giveBack(options: LeaseOptions, state: LeaseState): Promise<void> {
  const { seen, store } = state;
  if (!seen || store === undefined) return;
  state.renewed = undefined;
  const signal = options.clock.limit(options.durationMs);
  const isGiven = async (lease: KubeObject<"Lease">): Promise<boolean> => {
    if (lease.spec.holderIdentity !== options.identity) return true;
    const spec = { leaseDurationSeconds: 1, leaseTransitions: lease.spec.leaseTransitions ?? 0 };
    const body = { metadata: metadataOf(options, store, lease), spec };
    return (await unlessTaken(options.api.replace(nameOf(options), body, signal))) !== undefined;
  };
  try {
    if (!(await isGiven(seen.lease))) await isGiven(await options.api.get(nameOf(options), signal));
  } catch {
    // It expires.
  }
}

function nameOf({ namespace }: LeaseOptions): Named<"Lease"> {
  return { kind: "Lease", namespace, name: LEASE_NAME };
}

function metadataOf({ namespace }: LeaseOptions, store: string, lease: KubeObject<"Lease"> | undefined) {
  return {
    name: LEASE_NAME,
    namespace,
    labels: { [labels.managedBy]: MANAGED_BY },
    annotations: { [annotations.logStore]: store },
    // Compare and swap: the write fails if anybody changed the lease meanwhile.
    ...(lease && { resourceVersion: lease.metadata.resourceVersion }),
  };
}

function bodyOf(options: LeaseOptions, store: string, lease: KubeObject<"Lease"> | undefined) {
  // The API server refuses a MicroTime without six digits.
  const time = options.clock.now().toISOString().replace("Z", "000Z");
  const isOurs = lease?.spec.holderIdentity === options.identity;
  const transitions = lease?.spec.leaseTransitions ?? 0;
  return {
    metadata: metadataOf(options, store, lease),
    spec: {
      holderIdentity: options.identity,
      leaseDurationSeconds: Math.max(1, Math.round(options.durationMs / 1_000)),
      acquireTime: isOurs ? (lease.spec.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: lease && !isOurs ? transitions + 1 : transitions,
    },
  };
}
