import type { ServerResponse } from "node:http";
import type { FakeObjects, Stored } from "./fake-objects.ts";
import { failure, type KubeRequest, selectorOf, send } from "./fake-protocol.ts";

const EXPIRED =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.";

/** Lists that were begun, by resource, namespace and version: their next pages show the objects of that version. */
const begun = new WeakMap<FakeObjects, Map<string, readonly Stored[]>>();

/** A page of one version: https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks */
export function answerList(objects: FakeObjects, asked: KubeRequest, response: ServerResponse): void {
  const { query, resource, namespace } = asked;
  const isSelected = selectorOf(query.get("labelSelector"));
  const fields = (query.get("fieldSelector") ?? "").split(",").filter((each) => each !== "");
  if (!isSelected || fields.some((each) => !FIELDS.test(each))) {
    failure(response, { status: 400, reason: "BadRequest", message: "unable to parse requirement" });
    return;
  }
  const token = query.get("continue");
  const [version, from] = token === null ? [objects.version(), 0] : readToken(token);
  const kept = begun.get(objects) ?? new Map<string, readonly Stored[]>();
  begun.set(objects, kept);
  const key = `${resource}/${namespace}/${version}`;
  const whole = token === null ? objects.all(resource, namespace) : kept.get(key);
  if (!whole || version < objects.oldest()) {
    failure(response, { status: 410, reason: "Expired", message: EXPIRED });
    return;
  }
  kept.set(key, whole);
  const limit = Number(query.get("limit") ?? 0) || Number.POSITIVE_INFINITY;
  const selected = whole
    .filter(({ metadata }) => isSelected(metadata.labels ?? {}))
    .filter((object) => fields.every((each) => isField(object, each)));
  const items = selected.slice(from, from + limit);
  const rest = selected.length - from - items.length;
  const metadata = {
    resourceVersion: String(version),
    ...(rest > 0 && { continue: makeToken(version, from + items.length) }),
  };
  send(response, 200, { kind: "List", apiVersion: "v1", metadata, items });
}

/** Those that the engine asks for. */
const FIELDS = /^(?:involvedObject\.(?:uid|kind)|type)=/u;

function isField(object: Stored, selector: string): boolean {
  const [path = "", wanted] = selector.split("=");
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return false;
    value = Reflect.get(value, name);
  }
  return value === wanted;
}

function makeToken(version: number, from: number): string {
  return Buffer.from(JSON.stringify([version, from])).toString("base64url");
}

function readToken(token: string): [number, number] {
  return JSON.parse(Buffer.from(token, "base64url").toString()) as [number, number]; // made above
}
