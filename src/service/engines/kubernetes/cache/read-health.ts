import type { Kind } from "../cluster/kinds.ts";
import type { Reflection } from "./reflection.ts";

/** How the list and the watch of a kind in a namespace go. */
export type ReadHealth = {
  readonly kind: Kind;
  readonly namespace: string;
  readonly failure: ReadFailure | undefined;
};

export type ReadFailure = {
  /** performance.now() */
  readonly since: number;
  /** The newest one. */
  readonly error: unknown;
};

export function readHealthOf<K extends Kind>(reflection: Reflection<K>): ReadHealth {
  const { place, failingSince, lastError } = reflection;
  return {
    kind: place.kind,
    namespace: place.namespace,
    failure: failingSince === undefined ? undefined : { since: failingSince, error: lastError },
  };
}
