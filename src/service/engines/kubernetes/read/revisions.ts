import type { Clock } from "../../../../platform/clock.ts";
import type { ShownRevision } from "../../../workloads/services/service-answer.ts";
import type { KubeApi, Place } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";
import { selectorText } from "./label-selector.ts";
import { deploymentRevision, type ServiceSource } from "./rollout.ts";

/** A version of a service's pods that its controller keeps. */
export type KeptRevision = Pick<ShownRevision, "number" | "images" | "createdAt"> & {
  /** As a label of its pods names it: see `versionOf`. */
  readonly version: string;
  /** As it was written, without what the controller adds. */
  readonly template: object;
};

type Reader = Pick<KubeApi, "list">;
type Asked = { readonly source: ServiceSource; readonly signal: AbortSignal };

/**
 * The versions of a service's pods, newest first. They aren't watched, because most readers don't need them: this is one
 * request. Rejects as `KubeApi`.
 */
export async function keptRevisions(api: Reader, asked: Asked): Promise<readonly KeptRevision[]> {
  const kept = asked.source.kind === "Deployment" ? replicaSetsOf(api, asked) : patchesOf(api, asked);
  return (await kept).toSorted((left, right) => right.number - left.number);
}

/** An answer doesn't wait longer for them. */
const PATIENCE_MS = 1_000;

/** The same for an answer; undefined if they can't be read: the rights are optional. Never rejects. */
export async function knownRevisions(
  { region }: { readonly region: { readonly api: Reader } },
  { source, signal }: Asked,
  clock: Pick<Clock, "limit">,
): Promise<readonly KeptRevision[] | undefined> {
  const within = AbortSignal.any([signal, clock.limit(PATIENCE_MS)]);
  return await keptRevisions(region.api, { source, signal: within }).catch(() => undefined);
}

/** The one that its pods have, or get; undefined while it isn't known. */
export function currentRevision(
  { kind, object }: ServiceSource,
  kept: readonly KeptRevision[] = [],
): KeptRevision | undefined {
  if (kind === "DaemonSet") return kept[0];
  if (kind === "StatefulSet") return kept.find(({ version }) => version === object.status.updateRevision);
  return kept.find(({ number }) => number === deploymentRevision(object.metadata));
}

const TEMPLATE_HASH = "pod-template-hash";

async function replicaSetsOf(api: Reader, asked: Asked): Promise<KeptRevision[]> {
  const sets = await ownedBy(api, "ReplicaSet", asked);
  return sets.flatMap(({ metadata, spec: { template } }) => {
    const number = deploymentRevision(metadata);
    const { [TEMPLATE_HASH]: version, ...labels } = template.metadata?.labels ?? {};
    if (number === undefined || version === undefined) return [];
    const own = { ...template, metadata: { ...template.metadata, labels } };
    return [{ number, version, template: own, ...shownOf(metadata, template) }];
  });
}

async function patchesOf(api: Reader, asked: Asked): Promise<KeptRevision[]> {
  const patches = await ownedBy(api, "ControllerRevision", asked);
  return patches.map(({ metadata, revision, data }) => {
    // It says that the patch replaces all of it.
    const { $patch: _, ...template } = data.spec.template;
    // The pods of a StatefulSet have its whole name, those of a DaemonSet its end.
    const hash = asked.source.kind === "StatefulSet" ? undefined : metadata.labels["controller-revision-hash"];
    return { number: revision, version: hash ?? metadata.name, template, ...shownOf(metadata, data.spec.template) };
  });
}

type Template = KubeObject<"ReplicaSet">["spec"]["template"];

function shownOf({ creationTimestamp }: KubeObject["metadata"], { spec }: Template) {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return { images: containers.map(({ image = "" }) => image), createdAt: creationTimestamp };
}

/** Others may have the same labels. */
async function ownedBy<K extends Kind>(api: Reader, kind: K, { source, signal }: Asked): Promise<KubeObject<K>[]> {
  const { metadata, spec } = source.object;
  const place: Place<K> = { kind, namespace: metadata.namespace };
  const options = { labelSelector: selectorText(spec.selector), limit: 500 };
  const found: KubeObject<K>[] = [];
  let next: string | undefined;
  do {
    const page = await api.list(place, { ...options, ...(next !== undefined && { next }) }, signal);
    found.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return found.filter((each) => each.metadata.ownerReferences.some(({ uid }) => uid === metadata.uid));
}
