import type { ServiceDefinition } from "../../../workloads/definitions/service-definition.ts";
import type { JsonOperation, Patch } from "../cluster/kube-api.ts";
import { annotations } from "../names.ts";
import type { FoundService } from "../read/found-service.ts";
import { memoryQuantity } from "./pod-template.ts";

type Source = FoundService["source"]["object"];

/** Stops the instances and remembers their number. The tests make it fail (422) if somebody was faster. */
export function stopPatch(object: Source, now: Date): Patch {
  const { replicas } = object.spec;
  return {
    type: "json",
    operations: [
      ...unchanged(object),
      ...withAnnotations(object),
      { op: "add", path: pointer(annotations.size), value: String(replicas) },
      { op: "add", path: pointer(annotations.stoppedAt), value: now.toISOString() },
      { op: "replace", path: "/spec/replicas", value: 0 },
    ],
  };
}

/** Starts a stopped service with its remembered size. */
export function startPatch(object: Source, size: number): Patch {
  const forget = (name: string): readonly JsonOperation[] => {
    return name in object.metadata.annotations ? [{ op: "remove", path: pointer(name) }] : [];
  };
  return {
    type: "json",
    operations: [
      ...unchanged(object),
      ...forget(annotations.size),
      ...forget(annotations.stoppedAt),
      ...(size === 0
        ? [...withAnnotations(object), { op: "add", path: pointer(annotations.idle), value: "true" } as const]
        : forget(annotations.idle)),
      { op: "replace", path: "/spec/replicas", value: size },
    ],
  };
}

function unchanged({ metadata, spec }: Source): readonly JsonOperation[] {
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path: "/spec/replicas", value: spec.replicas },
  ];
}

/** An object without annotations lacks the map too; a version makes sure that nobody's are overwritten. */
function withAnnotations({ metadata }: Source): readonly JsonOperation[] {
  if (Object.keys(metadata.annotations).length > 0) return [];
  return [
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    { op: "add", path: "/metadata/annotations", value: {} },
  ];
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Replaces the instances one after the other, as `kubectl rollout restart` does. An equal time would do nothing. */
export function restartPatch({ metadata, spec }: Source, now: Date): Patch {
  const last = spec.template.metadata?.annotations[annotations.restartedAt];
  const at = now.toISOString();
  const different = at === last ? new Date(now.getTime() + 1).toISOString() : at;
  const template = { metadata: { annotations: { [annotations.restartedAt]: different } } };
  return { type: "strategic", body: { metadata: { uid: metadata.uid }, spec: { template } } };
}

/**
 * The changes of an update in one patch; undefined if it changes nothing of the object. Containers are merged by their
 * names. While stopped, only the remembered size changes. The version makes it fail (409) if somebody was faster.
 */
export function updatePatch(found: FoundService, after: ServiceDefinition): Patch | undefined {
  const { object } = found.source;
  const before = found.service.definition;
  const isStopped = !found.service.running;
  const containers = after.containers
    .filter(({ memoryMib }, index) => memoryMib !== before.containers[index]?.memoryMib)
    .map(({ name, memoryMib = 0 }) => ({ name, resources: { limits: { memory: memoryQuantity(memoryMib) } } }));
  const isResized = after.size !== before.size;
  if (containers.length === 0 && !isResized) return undefined;
  const sizes = isStopped
    ? { [annotations.size]: String(after.size) }
    : { [annotations.idle]: after.size === 0 ? "true" : null };
  const { uid, resourceVersion } = object.metadata;
  return {
    type: "strategic",
    body: {
      metadata: { uid, resourceVersion, ...(isResized && { annotations: sizes }) },
      spec: {
        ...(isResized && !isStopped && { replicas: after.size }),
        ...(containers.length > 0 && { template: { spec: { containers } } }),
      },
    },
  };
}
