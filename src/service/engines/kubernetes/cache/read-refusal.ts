import { Refusal } from "../../../engine.ts";
import { KubeError, type Place } from "../cluster/kube-api.ts";
import { type Kind, kinds } from "../cluster/kinds.ts";
import { refusalOf } from "../cluster/refusal-of.ts";

/** More objects of a kind than the cache holds. */
export class TooManyObjects extends Error {
  override readonly name = "TooManyObjects";
}

export function tooMany(kind: Kind, most: number): TooManyObjects {
  const { plural } = kinds[kind];
  return new TooManyObjects(
    `there are more than ${most} ${plural}, the most that Gantry holds. Nothing was changed. Delete old ones.`,
  );
}

/** Errors that the next try won't change, unless somebody changes the cluster first. */
export function isDenied(error: unknown): boolean {
  if (error instanceof TooManyObjects) return true;
  return error instanceof KubeError && !error.isEarly && (error.status === 403 || error.status === 404);
}

/** The refusal for a reader. `ageMs` is the time since the objects were last known to be current. */
export function readRefusal(place: Place, error: unknown, ageMs: number | undefined): Refusal {
  const { plural, group } = kinds[place.kind];
  const where = place.kind === "Namespace" ? "the cluster" : `namespace ${place.namespace}`;
  const doing = `read the ${plural} of ${where}`;
  if (error instanceof TooManyObjects) return new Refusal(503, `Couldn't ${doing}: ${error.message}`, { cause: error });
  if (error instanceof KubeError && error.status === 404) {
    const why = `the cluster doesn't know ${place.kind} (${group})`;
    const todo = "Nothing was changed. Install it, or change SERVICE_CLUSTERS.";
    return new Refusal(503, `Couldn't ${doing}: ${why}. ${todo}`, { cause: error });
  }
  const refusal = refusalOf(error, { doing, wrote: false });
  if (ageMs === undefined || refusal.status !== 503) return refusal;
  const age = `The last known state is ${Math.ceil(ageMs / 1_000)} s old.`;
  return new Refusal(503, `${refusal.message} ${age}`, { cause: error });
}
