import { isDeepStrictEqual } from "node:util";

/** A test of a JSON patch that doesn't hold, or a path that isn't there. */
export class TestFailed extends Error {}

/** What an API server makes of an object with a patch of this content type. */
export function patchedBy(contentType: string, object: unknown, patch: unknown): unknown {
  if (contentType === "application/json-patch+json") {
    return (patch as readonly Operation[]).reduce(operated, structuredClone(object)); // as the API server reads it
  }
  return merged(object, patch, contentType === "application/strategic-merge-patch+json");
}

type Operation = {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
};

/** https://www.rfc-editor.org/rfc/rfc6902 */
function operated(document: unknown, { op, path, value }: Operation): unknown {
  const { parent, key } = placeOf(document, path);
  if (op === "test") {
    if (!isDeepStrictEqual(valueAt({ parent, key }), value)) throw new TestFailed(path);
  } else if (op === "add") addAt({ parent, key }, value);
  else if (op === "remove") removeAt({ parent, key });
  else {
    valueAt({ parent, key });
    if (Array.isArray(parent)) parent[Number(key)] = value;
    else parent[key] = value;
  }
  return document;
}

type Spot = { readonly parent: Record<string, unknown> | unknown[]; readonly key: string };

function placeOf(document: unknown, path: string): Spot {
  const keys = path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  let parent = document;
  for (const key of keys.slice(0, -1)) {
    parent = (parent as Record<string, unknown> | undefined)?.[key]; // an object or a list
  }
  if (typeof parent !== "object" || parent === null) throw new TestFailed(path);
  return { parent: parent as Spot["parent"], key: keys.at(-1) ?? "" }; // checked above
}

function valueAt({ parent, key }: Spot): unknown {
  if (!Object.hasOwn(parent, key)) throw new TestFailed(key);
  return Array.isArray(parent) ? parent[Number(key)] : parent[key];
}

function addAt({ parent, key }: Spot, value: unknown): void {
  if (!Array.isArray(parent)) parent[key] = value;
  else if (key === "-") parent.push(value);
  else parent.splice(Number(key), 0, value);
}

function removeAt(spot: Spot): void {
  valueAt(spot);
  if (Array.isArray(spot.parent)) spot.parent.splice(Number(spot.key), 1);
  else delete spot.parent[spot.key];
}

/**
 * https://www.rfc-editor.org/rfc/rfc7396; a strategic one merges lists of named objects by their names, deletes those with
 * `$patch: delete` first, and takes a null for an empty text where the map isn't there.
 */
function merged(target: unknown, changes: unknown, isStrategic: boolean): unknown {
  if (isStrategic && Array.isArray(target) && Array.isArray(changes)) return mergedLists(target, changes);
  if (typeof changes !== "object" || changes === null || Array.isArray(changes)) return changes;
  const result = new Map(Object.entries(typeof target === "object" && target !== null ? target : {}));
  for (const [key, value] of Object.entries(changes)) {
    // An order that it has anyway: new ones are last.
    if (isStrategic && key.startsWith("$setElementOrder/")) continue;
    if (value === null && isStrategic && (target ?? undefined) === undefined) result.set(key, "");
    else if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value, isStrategic));
  }
  return Object.fromEntries(result);
}

function mergedLists(target: readonly unknown[], changes: readonly unknown[]): unknown[] {
  const nameOf = (item: unknown) => (item as { name?: string }).name; // containers, volumes
  const deleted = changes.filter((each) => (each as { $patch?: string }).$patch === "delete"); // as above
  const left = target.filter((item) => deleted.every((each) => nameOf(each) !== nameOf(item)));
  const rest = changes.filter((each) => !deleted.includes(each));
  const merging = new Set(rest);
  // Only the first of those with the same name.
  const known = left.map((item) => {
    const change = [...merging].find((each) => nameOf(each) === nameOf(item));
    merging.delete(change);
    return change === undefined ? item : merged(item, change, true);
  });
  return [...known, ...merging];
}
