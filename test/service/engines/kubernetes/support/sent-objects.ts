import type { Sent } from "./known-objects.ts";

/** Objects as an API server sends them, of a namespace in which all is well. */
export const CREATED = "2026-11-22T12:00:00Z";

type Fields = Readonly<Record<string, unknown>>;
type Meta = { readonly labels?: Fields; readonly annotations?: Fields } & Fields;
type Changed = {
  readonly metadata?: Meta;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly podSpec?: Fields;
};

function metadataOf(kind: string, name: string, changed: Meta = {}): Fields {
  return {
    name,
    namespace: "team",
    uid: `uid of ${kind} ${name}`,
    resourceVersion: "7",
    generation: 1,
    creationTimestamp: CREATED,
    ...changed,
  };
}

function templateOf(name: string, podSpec: Fields = {}): Fields {
  return {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "app", image: "shop/app:1" }], restartPolicy: "Always", ...podSpec },
  };
}

/** A Deployment whose two pods are ready. */
export function deployment(name: string, { metadata, spec, status, podSpec }: Changed = {}): Sent & Fields {
  return {
    kind: "Deployment",
    metadata: metadataOf("Deployment", name, {
      annotations: { "deployment.kubernetes.io/revision": "1" },
      ...metadata,
    }),
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: templateOf(name, podSpec), ...spec },
    status: {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        { type: "Available", status: "True", lastTransitionTime: CREATED },
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", lastTransitionTime: CREATED },
      ],
      ...status,
    },
  };
}

export function statefulSet(name: string, { metadata, spec, status, podSpec }: Changed = {}): Sent & Fields {
  return {
    kind: "StatefulSet",
    metadata: metadataOf("StatefulSet", name, metadata),
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: templateOf(name, podSpec), ...spec },
    status: {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      currentReplicas: 2,
      currentRevision: "a",
      updateRevision: "a",
      ...status,
    },
  };
}

/** A DaemonSet that two nodes run. */
export function daemonSet(name: string, { metadata, spec, status, podSpec }: Changed = {}): Sent & Fields {
  return {
    kind: "DaemonSet",
    metadata: metadataOf("DaemonSet", name, metadata),
    spec: { selector: { matchLabels: { app: name } }, template: templateOf(name, podSpec), ...spec },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberReady: 2,
      numberAvailable: 2,
      ...status,
    },
  };
}

export function job(name: string, { metadata, spec, status, podSpec }: Changed = {}): Sent & Fields {
  const template = templateOf(name, { restartPolicy: "Never", ...podSpec });
  return {
    kind: "Job",
    metadata: metadataOf("Job", name, metadata),
    spec: { template, ...spec },
    status: { ...status },
  };
}

/** A CronJob that runs each night. */
export function cronJob(name: string, { metadata, spec, status, podSpec }: Changed = {}): Sent & Fields {
  const template = templateOf(name, { restartPolicy: "Never", ...podSpec });
  return {
    kind: "CronJob",
    metadata: metadataOf("CronJob", name, metadata),
    spec: { schedule: "0 2 * * *", jobTemplate: { spec: { backoffLimit: 2, template } }, ...spec },
    status: { ...status },
  };
}

/** The metadata of a job that a CronJob made. */
export function ofCronJob(name: string): Meta {
  return { ownerReferences: [{ kind: "CronJob", name, uid: `uid of CronJob ${name}`, controller: true }] };
}

type PodChanged = Changed & {
  /** `apps/v1 Deployment` by its ReplicaSet; undefined for a pod without an owner. */
  readonly of: { readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job"; readonly name: string } | undefined;
  readonly hash?: string;
  /** Fields of the status of its container `app`. */
  readonly app?: Fields;
};

/** A pod that has been ready since 12:00:05. */
export function pod(name: string, { of, hash = "5d4f8c7b9", metadata, spec, status, app }: PodChanged): Sent & Fields {
  const owner =
    of?.kind === "Deployment"
      ? { kind: "ReplicaSet", name: `${of.name}-${hash}`, uid: `uid of ReplicaSet ${of.name}-${hash}` }
      : { kind: of?.kind, name: of?.name, uid: `uid of ${of?.kind} ${of?.name}` };
  const labels = { app: of?.name ?? name, ...(of?.kind === "Deployment" && { "pod-template-hash": hash }) };
  return {
    kind: "Pod",
    metadata: {
      ...metadataOf("Pod", name, { labels, ...metadata }),
      ...(of && { ownerReferences: [{ ...owner, controller: true }] }),
    },
    spec: { containers: [{ name: "app" }], ...spec },
    status: {
      phase: "Running",
      startTime: CREATED,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-22T12:00:05Z" }],
      containerStatuses: [
        { name: "app", ready: true, restartCount: 0, state: { running: { startedAt: CREATED } }, ...app },
      ],
      ...status,
    },
  };
}

type Kept = {
  /** The workload whose version it keeps. */
  readonly of: string;
  readonly uid?: string;
  readonly number: number;
  readonly hash: string;
  readonly createdAt?: string;
  readonly podSpec?: Fields;
};

/** What keeps a version of a Deployment's pods. */
export function replicaSet({ of, uid = `uid of Deployment ${of}`, number, hash, ...kept }: Kept): Sent & Fields {
  const labels = { app: of, "pod-template-hash": hash };
  return {
    kind: "ReplicaSet",
    metadata: metadataOf("ReplicaSet", `${of}-${hash}`, {
      labels,
      annotations: { "deployment.kubernetes.io/revision": String(number) },
      creationTimestamp: kept.createdAt ?? CREATED,
      ownerReferences: [{ kind: "Deployment", name: of, uid, controller: true }],
    }),
    spec: { template: { ...templateOf(of, kept.podSpec), metadata: { labels } } },
  };
}

/** What keeps a version of the pods of a StatefulSet or DaemonSet. */
export function controllerRevision(
  kind: "StatefulSet" | "DaemonSet",
  { of, uid = `uid of ${kind} ${of}`, number, hash, ...kept }: Kept,
): Sent & Fields {
  return {
    kind: "ControllerRevision",
    metadata: metadataOf("ControllerRevision", `${of}-${hash}`, {
      labels: { app: of, [kind === "DaemonSet" ? "controller-revision-hash" : "controller.kubernetes.io/hash"]: hash },
      creationTimestamp: kept.createdAt ?? CREATED,
      ownerReferences: [{ kind, name: of, uid, controller: true }],
    }),
    revision: number,
    data: { spec: { template: { ...templateOf(of, kept.podSpec), $patch: "replace" } } },
  };
}

/** A v1 Service that selects the pods of a workload. */
export function v1Service(name: string, spec: Fields, status: Fields = {}): Sent & Fields {
  return {
    kind: "Service",
    metadata: metadataOf("Service", name),
    spec: { type: "ClusterIP", clusterIP: "10.0.0.9", selector: { app: name }, ...spec },
    status,
  };
}

export function object(kind: string, name: string, rest: Fields): Sent & Fields {
  return { kind, metadata: metadataOf(kind, name), ...rest };
}
