import type { ServerResponse } from "node:http";
import type { FakeObjects, Stored } from "./fake-objects.ts";
import { patchedBy, TestFailed } from "./fake-patches.ts";
import { failure, type KubeRequest, send } from "./fake-protocol.ts";

/** Reads and writes of one object. */
export function answerObject(objects: FakeObjects, asked: KubeRequest, response: ServerResponse): void {
  const { verb, resource, namespace } = asked;
  const body = asked.body === "" ? {} : (JSON.parse(asked.body) as Partial<Stored>); // read as the API server would
  const name = asked.name ?? body.metadata?.name ?? "";
  const known = objects.find(resource, namespace, name);
  if (verb === "create") {
    if (known) conflict(response, asked, { name, reason: "AlreadyExists", why: "already exists" });
    else send(response, 201, objects.put(resource, namespace, body));
    return;
  }
  if (!known) {
    failure(response, { status: 404, reason: "NotFound", message: `${resource} "${name}" not found` });
    return;
  }
  const uid = verb === "patch" ? body.metadata?.uid : undefined;
  if (uid !== undefined && uid !== known.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known.metadata.uid}`;
    conflict(response, asked, { name, reason: "Conflict", why });
    return;
  }
  const expected = verb === "delete" ? undefined : body.metadata?.resourceVersion;
  if (expected !== undefined && expected !== known.metadata.resourceVersion) {
    const why = "the object has been modified; please apply your changes to the latest version and try again";
    conflict(response, asked, { name, reason: "Conflict", why });
    return;
  }
  if (verb === "get") send(response, 200, known);
  else if (verb === "patch") patch(objects, { asked, known, body }, response);
  else remove(objects, { asked, known, body }, response);
}

type Writing = { readonly asked: KubeRequest; readonly known: Stored; readonly body: object };

function patch(objects: FakeObjects, { asked, known, body }: Writing, response: ServerResponse): void {
  try {
    const patched = patchedBy(asked.contentType, known, body) as Stored; // a patch of an object
    send(response, 200, objects.put(asked.resource, asked.namespace, patched));
  } catch (error) {
    if (!(error instanceof TestFailed)) throw error;
    const message = "the server rejected our request due to an error in our request";
    failure(response, { status: 422, reason: "Invalid", message });
  }
}

function remove(objects: FakeObjects, { asked, known, body }: Writing, response: ServerResponse): void {
  const { resource, namespace } = asked;
  const { uid } = (body as { preconditions?: { uid?: string } }).preconditions ?? {}; // DeleteOptions
  const { name } = known.metadata;
  if (uid !== undefined && uid !== known.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known.metadata.uid}`;
    conflict(response, asked, { name, reason: "Conflict", why });
    return;
  }
  objects.remove(resource, namespace, name);
  send(response, 200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
}

type Conflict = { readonly name: string; readonly reason: string; readonly why: string };

function conflict(response: ServerResponse, { resource, group }: KubeRequest, { name, reason, why }: Conflict): void {
  const what = group === "" ? resource : `${resource}.${group}`;
  const message =
    reason === "AlreadyExists"
      ? `${what} "${name}" ${why}`
      : `Operation cannot be fulfilled on ${what} "${name}": ${why}`;
  failure(response, { status: 409, reason, message });
}
