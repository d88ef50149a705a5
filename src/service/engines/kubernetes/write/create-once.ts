import type { Clock } from "../../../../platform/clock.ts";
import { type KubeApi, type Place, KubeError, KubeUnreachable } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";
import { mayHaveHappened } from "../cluster/refusal-of.ts";
import { annotations } from "../names.ts";

type Creation<K extends Kind> = {
  readonly place: Place<K>;
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
