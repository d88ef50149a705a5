import { isDeepStrictEqual } from "node:util";

/** What differs whenever a Kubernetes object is written, whoever writes what. */
const OWN = /^\/metadata\/(?:resourceVersion|generation|managedFields)$/u;

/** Every path of an object that differs, except for its versions: `/spec/replicas: 2 → 3`. */
export function changes(before: unknown, after: unknown, path = ""): string[] {
  if (isDeepStrictEqual(before, after) || OWN.test(path)) return [];
  const isMap = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!isMap(before) || !isMap(after)) return [`${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const at = (value: object, key: string): unknown => (value as Record<string, unknown>)[key]; // any JSON
  return keys.flatMap((key) => changes(at(before, key), at(after, key), `${path}/${key}`));
}
