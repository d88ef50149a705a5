import { isDeepStrictEqual } from "node:util";
import type { ServiceUpdate } from "../../../../api/schema.ts";
import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import { Refusal } from "../../../engine.ts";
import type { PodDefaults } from "../cluster/cluster-config.ts";
import type { JsonOperation, Patch } from "../cluster/kube-api.ts";
import { annotations } from "../names.ts";
import type { FoundService } from "../read/services.ts";
import { escaped, type PodTemplate } from "../read/containers.ts";
import { memoryQuantity, requestFor } from "./pod-template.ts";
import type { Part } from "./refused-operations.ts";
import { steadiness } from "./service-manifests.ts";

type Source = FoundService["source"]["object"];

/** Annotations to write; null takes one away. */
type Notes = Readonly<Record<string, string | null>>;

/** Stops the instances and remembers their number. */
export function stopPatch(object: Source, now: Date, notes: Notes): Patch {
  const size = String(object.spec.replicas);
  return sized(object, 0, { ...notes, [annotations.size]: size, [annotations.stoppedAt]: now.toISOString() });
}

/** Starts a stopped service with its remembered size. */
export function startPatch(object: Source, size: number, notes: Notes): Patch {
  const idle = size === 0 ? "true" : null;
  return sized(object, size, { ...notes, ...noStop, [annotations.idle]: idle });
}

/**
 * Takes the note of a stop off a service that somebody else has scaled since. It fails if Gantry stopped it again, and not if
 * they scaled it to 0 by now: then a start would return to a size from before.
 */
export function forgetStopPatch(object: Source): Patch {
  const { annotations: known } = object.metadata;
  const seen = Object.keys(noStop).filter((name) => name in known);
  return {
    type: "json",
    operations: [
      ...seen.map((name): JsonOperation => ({ op: "test", path: pointer(name), value: known[name] })),
      ...annotated(object, noStop),
    ],
  };
}

const noStop: Notes = { [annotations.size]: null, [annotations.stoppedAt]: null };

/** Another size with its notes, each named alone. It fails if somebody scaled the service since it was judged. */
function sized(object: Source, size: number, notes: Notes): Patch {
  const replicas = { op: "replace", path: "/spec/replicas", value: size } as const;
  return { type: "json", operations: [...unchanged(object), ...annotated(object, notes), replicas] };
}

function unchanged({ metadata, spec }: Source): readonly JsonOperation[] {
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path: "/spec/replicas", value: spec.replicas },
  ];
}

/**
 * Without those to take away that aren't there: a strategic merge patch writes them as empty texts where an object has no
 * annotations (seen on Kubernetes 1.20).
 */
export function needed({ metadata }: Annotated, notes: Notes): Notes {
  return Object.fromEntries(
    Object.entries(notes).filter(([name, value]) => value !== null || name in metadata.annotations),
  );
}

type Annotated = { readonly metadata: Pick<Source["metadata"], "annotations"> };

/** Single annotations. A JSON patch can't add to a map that isn't there: then all at once, if nobody else wrote some. */
function annotated({ metadata }: Source, notes: Notes): readonly JsonOperation[] {
  const known = metadata.annotations;
  const wanted = needed({ metadata }, notes);
  if (Object.keys(wanted).length === 0) return [];
  if (Object.keys(known).length === 0) {
    return [
      { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
      { op: "add", path: "/metadata/annotations", value: wanted },
    ];
  }
  return Object.entries(wanted).map(([name, value]): JsonOperation => {
    return value === null ? { op: "remove", path: pointer(name) } : { op: "add", path: pointer(name), value };
  });
}

/** https://www.rfc-editor.org/rfc/rfc6901#section-3 */
function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Replaces the instances one after the other, as `kubectl rollout restart` does. An equal time would do nothing. */
export function restartPatch(object: Source, now: Date, notes: Notes): Patch {
  const { metadata, spec } = object;
  const last = spec.template.metadata?.annotations[annotations.restartedAt];
  const at = now.toISOString();
  const different = at === last ? new Date(now.getTime() + 1).toISOString() : at;
  const template = { metadata: { annotations: { [annotations.restartedAt]: different } } };
  return {
    type: "strategic",
    body: { metadata: { uid: metadata.uid, annotations: needed(object, notes) }, spec: { template } },
  };
}

/**
 * Another template for its pods. It fails if somebody changed the service since it was judged, as `sized` does: its
 * generation counts changes of its spec, and only the version those of annotations.
 */
export function templatePatch(object: Source, template: object, notes: Notes): Patch {
  const { uid, generation } = object.metadata;
  return {
    type: "json",
    operations: [
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path: "/metadata/generation", value: generation },
      ...annotated(object, notes),
      { op: "replace", path: "/spec/template", value: template },
    ],
  };
}

/** What an update changes of a container. */
type ContainerChange = {
  readonly name: string;
  readonly image?: string | undefined;
  /** A quantity. */
  readonly memory?: string | undefined;
  readonly env?: VariablePatch | undefined;
};

/** As a strategic merge patch has variables: each by its name, so that all others stay as they are. New ones come last. */
type VariablePatch = {
  readonly env: readonly object[];
  readonly "$setElementOrder/env": readonly { readonly name: string }[];
};

/** What an update changes of the containers; nothing else of them is written. */
function containerChanges({ source, service }: FoundService, after: ServiceDefinition): readonly ContainerChange[] {
  return after.containers.flatMap((container, index) => {
    const before = service.definition.containers[index];
    const { name, image, memoryMib = 0 } = container;
    const variables = source.object.spec.template.spec.containers[index]?.env ?? [];
    const env = variablePatch(variables, before?.env ?? [], container.env ?? []);
    const change = {
      ...(image !== before?.image && { image }),
      ...(container.memoryMib !== before?.memoryMib && { memory: memoryQuantity(memoryMib) }),
      ...(env && { env }),
    };
    return Object.keys(change).length === 0 ? [] : [{ name, ...change }];
  });
}

type Variables = NonNullable<ServiceDefinition["containers"][number]["env"]>;

/** Variables that were set are other objects than before: one without a value may replace one that a Secret has. */
function variablePatch(
  known: PodTemplate["spec"]["containers"][number]["env"],
  before: Variables,
  after: Variables,
): VariablePatch | undefined {
  const removed = new Set(known.map(({ name }) => name).filter((name) => after.every((each) => each.name !== name)));
  const set = after.filter((variable) => !before.includes(variable));
  const env = [
    ...[...removed].map((name) => ({ name, $patch: "delete" })),
    ...set.flatMap(({ name, value = "" }): object[] => {
      const same = known.filter((each) => each.name === name);
      const [one] = same;
      const word = escaped(value);
      if (!one) return [{ name, value: word }];
      // A patch changes only the first of several, and the last counts.
      if (same.length > 1)
        return [
          { name, $patch: "delete" },
          { name, value: word },
        ];
      if (one.valueFrom) return [{ name, value: word, valueFrom: null }];
      return (one.value ?? "") === word ? [] : [{ name, value: word }];
    }),
  ];
  return env.length === 0 ? undefined : { env, "$setElementOrder/env": after.map(({ name }) => ({ name })) };
}

/** Another image of a container that starts before the others. */
type InitChange = { readonly name: string; readonly image: string };

/** What an update changes of them. Throws a `Refusal` 400 for anything but an image. */
export function initChanges({ source, service: { name: of } }: FoundService, { containers = [] }: ServiceUpdate) {
  const known = source.object.spec.template.spec.initContainers;
  const wanted = new Map<string, string>();
  for (const { name, image, env, resources, resource } of containers) {
    if (name === undefined || !known.some((each) => each.name === name)) continue;
    if ((env ?? resources ?? resource) !== undefined) {
      throw new Refusal(400, `${name} of ${of} starts before its containers: only its image can be changed`);
    }
    if (wanted.has(name)) throw new Refusal(400, `containers has ${name} twice: send each container once`);
    if (image !== undefined) wanted.set(name, image);
  }
  return known.flatMap(({ name, image: before }): InitChange[] => {
    const image = wanted.get(name);
    return image === undefined || image === before ? [] : [{ name, image }];
  });
}

/** What an update changes. */
export function changedParts(
  found: FoundService,
  { after, init }: { readonly after: ServiceDefinition; readonly init: readonly InitChange[] },
): Part[] {
  const { domains, size } = found.service.definition;
  const changes: Partial<ContainerChange>[] = [...containerChanges(found, after), ...init];
  const ofContainers = (["memory", "image", "env"] as const).filter((part) =>
    changes.some((change) => change[part] !== undefined),
  );
  const isRebound = !isDeepStrictEqual(after.domains, domains);
  return [
    ...ofContainers,
    ...(isRebound ? ["domains" as const] : []),
    ...(after.size === size ? [] : ["size" as const]),
  ];
}

/** Gantry's own request for memory follows its limit: Kubernetes refuses a limit below it. */
function requestsBelow(
  { isAdopted, source }: FoundService,
  { name, memory, defaults }: { readonly name: string; readonly memory: string; readonly defaults: PodDefaults },
): object {
  const container = source.object.spec.template.spec.containers.find((each) => each.name === name);
  const requested = container?.resources?.requests?.["memory"];
  if (isAdopted || requested === undefined) return {};
  const wanted = requestFor(memory, { requests: { memory: defaults.requests?.memory ?? String(requested) } });
  return wanted.memory === String(requested) ? {} : { requests: wanted };
}

/** Kubernetes fills it in where none is set. */
const KUBERNETES_DEADLINE = 600;

/** Of Gantry's own services, those from before it set these get them with the next deploy. What somebody chose stays. */
function rolloutSettings(
  { isAdopted, source, service }: FoundService,
  deadline: number,
): { readonly progressDeadlineSeconds?: number; readonly minReadySeconds?: number } {
  if (isAdopted || source.kind !== "Deployment") return {};
  const { progressDeadlineSeconds: now = KUBERNETES_DEADLINE, minReadySeconds } = source.object.spec;
  return {
    ...(now === KUBERNETES_DEADLINE && deadline !== now && { progressDeadlineSeconds: deadline }),
    ...(minReadySeconds === undefined && steadiness(service.definition)),
  };
}

/**
 * The changes of an update in one patch; undefined if it changes nothing of the object. Containers are merged by their
 * names. While stopped, only the remembered size changes. It holds for any version of the object, as `kubectl scale` does:
 * others may change it all the time.
 */
export function updatePatch(
  found: FoundService,
  after: ServiceDefinition,
  {
    notes,
    init = [],
    defaults = {},
    deadline = KUBERNETES_DEADLINE,
  }: {
    readonly notes: Notes;
    readonly init?: readonly InitChange[];
    readonly defaults?: PodDefaults | undefined;
    /** In seconds: how long a rollout of Gantry's own services may take without progress. */
    readonly deadline?: number;
  },
): Patch | undefined {
  const { object } = found.source;
  const isStopped = !found.service.running;
  const changes = containerChanges(found, after);
  const containers = changes.map(({ name, image, memory, env }) => ({
    name,
    ...(image !== undefined && { image }),
    ...(memory !== undefined && {
      resources: { limits: { memory }, ...requestsBelow(found, { name, memory, defaults }) },
    }),
    ...env,
  }));
  const isResized = after.size !== found.service.definition.size;
  const isDeployed = init.length > 0 || changes.some(({ image, env }) => (image ?? env) !== undefined);
  if (containers.length === 0 && init.length === 0 && !isResized) return undefined;
  const sizes = isStopped
    ? { [annotations.size]: String(after.size) }
    : { ...noStop, [annotations.idle]: after.size === 0 ? "true" : null };
  return {
    type: "strategic",
    body: {
      metadata: { uid: object.metadata.uid, annotations: needed(object, { ...notes, ...(isResized && sizes) }) },
      spec: {
        ...(isResized && !isStopped && { replicas: after.size }),
        ...(isDeployed && rolloutSettings(found, deadline)),
        ...(containers.length + init.length > 0 && {
          template: {
            spec: { ...(containers.length > 0 && { containers }), ...(init.length > 0 && { initContainers: init }) },
          },
        }),
      },
    },
  };
}
