import { forAMoment } from "../../../workloads/engine-parts.ts";
import type { CachedKind } from "../cache/namespace-cache.ts";
import { type EngineRequest, Refusal } from "../../../engine.ts";
import type { SerialQueue } from "../../../workloads/lifecycle/queues.ts";
import { type Named, type KubeApi, type Place as KubePlace, KubeError, KubeUnreachable } from "../cluster/kube-api.ts";
import { refusalOf, mayHaveHappened } from "../cluster/refusal-of.ts";
import { annotations } from "../names.ts";
import { findService, type FoundService } from "../read/services.ts";
import { jobPlace, notFound, type Place, servicePlace } from "../read/place.ts";
import type { KubernetesParts } from "../regions.ts";
import type { Clock } from "../../../../platform/clock.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";

export type WriteParts = KubernetesParts & {
  /** Writes to one workload wait for each other; those of other replicas are told apart by the cluster. */
  readonly queue: SerialQueue;
  /** How many times a failed job is tried again. */
  readonly jobRetries: number;
};

/** A workload of a user that is to be changed; the caches of its place were current when this was made. */
export type Target = Omit<Place, "patience"> & {
  readonly parts: WriteParts;
  /** In the API; its object can have another name. */
  readonly name: string;
  /** Of its object. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly asked?: EngineRequest<"stopService">["asked"];
};

/** Where a workload of this name is, or will be; undefined if there is none. */
export type NamespaceOf = (place: Place, name: string) => string | undefined;

type Asked = Pick<EngineRequest<"stopService">, "user" | "signal" | "asked" | "warn"> & {
  readonly path: { readonly region: string };
};

type Write<T> = {
  readonly noun: "service" | "job";
  readonly name: string;
  readonly work: (target: Target) => Promise<T>;
  readonly namespaceOf: NamespaceOf;
};

/** Runs a write to a workload when it is its turn. Throws a `Refusal` 404 if there is none. */
export function inTurn<T>(parts: WriteParts, asked: Asked, { noun, name, work, namespaceOf }: Write<T>): Promise<T> {
  const { user, path, signal, warn } = asked;
  const run = async () => {
    const place = await (noun === "service" ? servicePlace : jobPlace)(parts, asked);
    const namespace = namespaceOf(place, name);
    if (namespace === undefined) throw notFound(place, `no ${noun} is named ${name}: check the name`);
    const { region } = place;
    // What the API server warns of reaches who asked.
    const api = warn ? region.api.withWarnings(warn) : region.api;
    return await work({
      ...place,
      region: { ...region, api },
      parts,
      name,
      namespace,
      signal,
      asked: asked.asked ?? {},
    });
  };
  return parts.queue.run(keyOf(noun, user.username, path.region, name), run, signal);
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Where new workloads are made. Throws the reason why it can't be read. */
export function newNamespace({ names: [first], reading, leftOut }: Place): string {
  if (reading.namespaces.includes(first)) return first;
  const why = leftOut.find(({ namespaces }) => namespaces.includes(first))?.sentences ?? "";
  throw new Refusal(503, `New workloads are made in the namespace ${first}. Nothing was changed. ${why}`.trim());
}

/** Runs a change of a service that nobody asked for now. */
export function onServiceOf<T>(target: Target, work: (target: Target) => Promise<T>): Promise<T> {
  const { parts, region, reading: place, name, signal } = target;
  return parts.queue.run(keyOf("service", place.username, region.config.region, name), () => work(target), signal);
}

/**
 * Who asked and for which request, as annotations of the object that changes anyway; null where the client doesn't say it,
 * because the notes of an earlier change would be wrong.
 */
export function notesOf({ asked = {} }: Pick<Target, "asked">): Readonly<Record<string, string | null>> {
  return { [annotations.changedBy]: asked.person ?? null, [annotations.change]: asked.request ?? null };
}

/** The same for a new object. */
export function newNotesOf(target: Pick<Target, "asked">): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(notesOf(target)).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}

/** The service to be changed, as the cache has it now. Throws a `Refusal` 404 if there is none. */
export function wantedService({ region, reading, parts, name, namespace }: Target): FoundService {
  const found = findService(region, { ...reading, now: parts.clock.now(), name });
  // Another namespace has the name by now if this one's service is gone.
  if (found?.source.object.metadata.namespace === namespace) return found;
  throw new Refusal(404, `no service is named ${name}: check the name`);
}

export function cacheOf({ region, namespace }: Pick<Target, "region" | "namespace">) {
  return region.cacheOf(namespace);
}

export function objectOf({ source }: FoundService): Named<FoundService["source"]["kind"]> {
  const { namespace, name } = source.object.metadata;
  return { kind: source.kind, namespace, name };
}

/** Runs a call that changes nothing, with the errors of Kubernetes as the API's own. */
export async function reading<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw refusalOf(error, { doing, wrote: false });
  }
}

/** Waits a moment until what was deleted is gone: then the answer can say so. `kind` changes when it goes. */
export async function isGoneSoon(target: Target, kind: CachedKind, isThere: () => boolean): Promise<boolean> {
  const gone = Promise.withResolvers<void>();
  const tell = (): void => {
    if (!isThere()) gone.resolve();
  };
  const end = cacheOf(target).onChange(kind, tell);
  try {
    tell();
    return await forAMoment(gone.promise, target.signal, target.parts.clock);
  } finally {
    end();
  }
}

type Creation<K extends Kind> = {
  readonly place: KubePlace<K>;
  readonly name: string;
  readonly body: object;
  /** The annotation `gantry/request` of the body, or another sign of this request's own object. */
  readonly isOurs: (found: KubeObject<K>) => boolean;
  readonly clock: Pick<Clock, "elapsedMs" | "sleep">;
};

/** Shorter than clients of the API wait for an answer. */
const GIVE_UP_AFTER_MS = 8_000;
const PAUSE_MS = 250;

/**
 * Creates an object once. A name can be taken only once, so a create without an answer is simply sent again: if the
 * name is then taken, the object itself tells whose it is. Rejects with the API server's last error; with the first one
 * if that create may have happened, because a later one that can't even be sent says nothing about it.
 */
export async function createOnce<K extends Kind>(api: KubeApi, creation: Creation<K>): Promise<KubeObject<K>> {
  const { place, body, clock } = creation;
  const began = clock.elapsedMs();
  let doubt: { readonly error: unknown } | undefined;
  for (;;) {
    try {
      return await api.create(place, body);
    } catch (error) {
      if (doubt && isTaken(error)) return await ourOwn(api, creation, error, doubt.error);
      if (!doubt && !mayHaveHappened(error)) throw error;
      doubt ??= { error };
      // Another answer of the API server, for example a quota that this object may have filled, settles nothing.
      const isAnswered = error instanceof KubeError && !mayHaveHappened(error);
      if (isAnswered || clock.elapsedMs() - began > GIVE_UP_AFTER_MS) throw doubt.error;
    }
    await clock.sleep(PAUSE_MS);
  }
}

async function ourOwn<K extends Kind>(
  api: KubeApi,
  { place, name, isOurs }: Creation<K>,
  taken: KubeError,
  unanswered: unknown,
): Promise<KubeObject<K>> {
  const found = await api.get({ ...place, name }).catch((error: unknown) => {
    throw stillInDoubt(unanswered, error);
  });
  if (isOurs(found)) return found;
  throw taken;
}

/** Why it isn't known whether a create happened, and why that can't be found out: a missing right is named. */
function stillInDoubt(unanswered: unknown, reading: unknown): unknown {
  if (!(unanswered instanceof Error) || !(reading instanceof KubeError)) return unanswered;
  return new KubeUnreachable(`${unanswered.message}; then ${reading.message}`, { cause: unanswered.cause });
}

export function isTaken(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 409 && error.reason === "AlreadyExists";
}

export function isGone(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 404;
}

/** The one that was asked for is gone; another may have its name already. */
export function isAnother(error: unknown): boolean {
  return isGone(error) || (error instanceof KubeError && error.status === 409);
}

type Annotated = { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } };

/** For the objects of one request, which carry its id. */
export function madeBy(request: string): (found: Annotated) => boolean {
  return ({ metadata }) => metadata.annotations[annotations.request] === request;
}
