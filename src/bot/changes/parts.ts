import type { StoredChange } from "./stored-change.ts";

/**
 * A request for several workloads is one Change with a part for each: a Change that is never decided, drawn or owned
 * for itself. Its id is that of the request with its place, `7QK2MP/2`, which nobody can type.
 */
export function partId(requestId: string, place: number): string {
  return `${requestId}/${place}`;
}

/** The id of the request that a part belongs to; of any other Change, its own. */
export function requestIdOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}

export function isPartId(id: string): boolean {
  return requestIdOf(id) !== id;
}

/** What a request is about: its parts, or itself. */
export function partsOf(change: StoredChange): readonly StoredChange[] {
  return change.parts ?? [change];
}
