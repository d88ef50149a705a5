import type { KubeObject, Kind } from "../cluster/kinds.ts";
import { conditionOf, shortened } from "./pod-health.ts";
import type { ShownRevision } from "../../../workloads/services/service-answer.ts";
import type { KubeApi } from "../cluster/kube-api.ts";
import { selectorText } from "./label-selector.ts";

/** The object of a service. */
export type ServiceSource =
  | { readonly kind: "Deployment"; readonly object: KubeObject<"Deployment"> }
  | { readonly kind: "StatefulSet"; readonly object: KubeObject<"StatefulSet"> }
  | { readonly kind: "DaemonSet"; readonly object: KubeObject<"DaemonSet"> };

/** How far a controller is with the wanted number and version of pods. */
export type Rollout = {
  readonly wanted: number;
  /** Pods that exist, except those that are being deleted. */
  readonly replicas: number;
  readonly ready: number;
  /** Pods of the latest version. */
  readonly updated: number;
  /** The controller has seen the latest change. Until then, the rest is of the time before. */
  readonly isObserved: boolean;
  /** Every pod is of the latest version. */
  readonly isUpdated: boolean;
  /** Pods of the latest version exist. */
  readonly hasNew: boolean;
  /** As many pods are ready, long enough, as are wanted. */
  readonly isAvailable: boolean;
  /** The first version: no update was ever made, or the latest was finished. */
  readonly isSettled: boolean;
  /** As it was created, and not known to have been complete: what isn't ready yet replaces nothing. */
  readonly isFirst: boolean;
  /** Only pods of the latest version exist, and all were ready. */
  readonly isComplete: boolean;
  /** Pods of the latest version take the place of others, or are the first ones. */
  readonly isReplacing: boolean;
  /** When it was complete, if the controller says it. */
  readonly completeSince?: string | undefined;
  /** Why the controller gave up, or can't make pods. */
  readonly problem?:
    | {
        readonly what: string;
        /** Kubernetes' own words. */
        readonly why: string;
        /** It gave up after this long without progress: an instance that isn't ready says more. */
        readonly deadlineMs?: number;
        readonly since: string | undefined;
      }
    | undefined;
  /** What holds the rollout up, without being wrong. */
  readonly hold?: string | undefined;
};

export function rolloutOf(source: ServiceSource): Rollout {
  switch (source.kind) {
    case "Deployment":
      return ofDeployment(source.object);
    case "StatefulSet":
      return ofStatefulSet(source.object);
    case "DaemonSet":
      return ofDaemonSet(source.object);
  }
}

const REVISION = "deployment.kubernetes.io/revision";
const PAUSED = "its rollout is paused: continue it with kubectl rollout resume";

function ofDeployment(deployment: KubeObject<"Deployment">): Rollout {
  const { metadata, spec, status } = deployment;
  const wanted = spec.replicas;
  const isObserved = hasSeen(deployment);
  const isUpdated = status.updatedReplicas >= wanted && status.replicas <= status.updatedReplicas;
  const progressing = conditionOf(deployment, "Progressing");
  const isFinished = progressing?.reason === "NewReplicaSetAvailable";
  const isAlone = status.replicas <= status.updatedReplicas;
  const hasNew = status.updatedReplicas > 0;
  const isAvailable = status.availableReplicas >= wanted;
  const isComplete = isObserved && hasNew && isAlone && (isFinished || (isUpdated && isAvailable));
  return {
    wanted,
    isObserved,
    isUpdated,
    replicas: status.replicas,
    ready: status.readyReplicas,
    updated: status.updatedReplicas,
    hasNew,
    isAvailable,
    isSettled: isFinished || (metadata.annotations[REVISION] ?? "1") === "1",
    isFirst: !isFinished && isAsCreated(deployment),
    isComplete,
    isReplacing: !isAlone || (!isFinished && !isComplete),
    completeSince: isFinished ? progressing.lastUpdateTime : undefined,
    problem: isObserved ? problemOf(deployment) : undefined,
    hold: spec.paused === true && !isUpdated ? PAUSED : undefined,
  };
}

/** The number of a Deployment's or ReplicaSet's version; the controller gives it. */
export function deploymentRevision({ annotations }: Pick<KubeObject["metadata"], "annotations">): number | undefined {
  const text = annotations[REVISION] ?? "";
  return /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : undefined;
}

/** Kubernetes raises the generation with each change of the spec. */
function isAsCreated({ metadata }: ServiceSource["object"]): boolean {
  return metadata.generation === 1;
}

function hasSeen({ metadata, status }: ServiceSource["object"]): boolean {
  return status.observedGeneration >= (metadata.generation ?? 0);
}

/** The API server writes it into each Deployment. */
const DEFAULT_DEADLINE_SECONDS = 600;

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#failed-deployment */
function problemOf(deployment: KubeObject<"Deployment">): Rollout["problem"] {
  const failure = conditionOf(deployment, "ReplicaFailure");
  if (failure?.status === "True") {
    const why = shortened(failure.message ?? failure.reason ?? "");
    return { what: "can't create its instances", why, since: failure.lastTransitionTime };
  }
  const progressing = conditionOf(deployment, "Progressing");
  if (progressing?.status !== "False" || progressing.reason !== "ProgressDeadlineExceeded") return undefined;
  const why = shortened(progressing.message ?? progressing.reason);
  const deadlineMs = (deployment.spec.progressDeadlineSeconds ?? DEFAULT_DEADLINE_SECONDS) * 1_000;
  return { what: "its rollout made no progress in time", why, deadlineMs, since: progressing.lastTransitionTime };
}

/** A StatefulSet has no conditions: only its pods tell that it can't go on. */
function ofStatefulSet(statefulSet: KubeObject<"StatefulSet">): Rollout {
  const { spec, status } = statefulSet;
  const wanted = spec.replicas;
  const isLatest = status.updateRevision === undefined || status.updateRevision === status.currentRevision;
  const isObserved = hasSeen(statefulSet);
  const isUpdated = (isLatest || status.updatedReplicas >= updatesWanted(spec)) && status.replicas <= wanted;
  const isAvailable = status.readyReplicas >= wanted;
  return {
    wanted,
    isObserved,
    isUpdated,
    replicas: status.replicas,
    ready: status.readyReplicas,
    // It counts them only while an update goes on.
    updated: isLatest ? status.replicas : status.updatedReplicas,
    hasNew: status.updatedReplicas > 0,
    isAvailable,
    isSettled: isLatest,
    isFirst: isAsCreated(statefulSet),
    isComplete: isObserved && isLatest && isAvailable,
    isReplacing: !isLatest && spec.updateStrategy?.type !== "OnDelete" && !(isUpdated && isAvailable),
  };
}

/** It has no conditions either. With OnDelete, each pod keeps the old version until somebody deletes it. */
function ofDaemonSet(daemonSet: KubeObject<"DaemonSet">): Rollout {
  const { spec, status } = daemonSet;
  const wanted = status.desiredNumberScheduled;
  const isLatest = status.updatedNumberScheduled >= wanted;
  const isObserved = hasSeen(daemonSet);
  const isUpdated = isLatest || spec.updateStrategy?.type === "OnDelete";
  const isAvailable = status.numberAvailable >= wanted;
  return {
    wanted,
    isObserved,
    isUpdated,
    replicas: status.currentNumberScheduled,
    ready: status.numberReady,
    updated: status.updatedNumberScheduled,
    hasNew: status.updatedNumberScheduled > 0,
    isAvailable,
    isSettled: isLatest || isAsCreated(daemonSet),
    isFirst: isAsCreated(daemonSet),
    isComplete: isObserved && isLatest && isAvailable,
    isReplacing: !isUpdated,
  };
}

/** Pods below the partition keep the old version; with OnDelete, each does until somebody deletes it. */
function updatesWanted({ replicas, updateStrategy }: KubeObject<"StatefulSet">["spec"]): number {
  if (updateStrategy?.type === "OnDelete") return 0;
  return Math.max(0, replicas - (updateStrategy?.rollingUpdate?.partition ?? 0));
}

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

const PATIENCE_MS = 1_000;

/** The same for an answer; undefined if they can't be read: the rights are optional. Never rejects. */
export async function knownRevisions(
  { region, patience }: { readonly region: { readonly api: Reader }; readonly patience: (ms: number) => AbortSignal },
  source: ServiceSource,
): Promise<readonly KeptRevision[] | undefined> {
  return await keptRevisions(region.api, { source, signal: patience(PATIENCE_MS) }).catch(() => undefined);
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
  const place = { kind, namespace: metadata.namespace };
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
