import { z } from "zod";

/** Null means absent. */
function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function listOf<T extends z.ZodType>(schema: T) {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);
}

const texts = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value): Readonly<Record<string, string>> => value ?? {});

/** The largest annotation by far; nobody reads it here, but that it is there tells that the object has annotations. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

const annotations = texts.transform((all) => {
  return LAST_APPLIED in all ? { ...all, [LAST_APPLIED]: "" } : all;
});

const Metadata = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: maybe(z.number()),
  creationTimestamp: z.string(),
  deletionTimestamp: maybe(z.string()),
  labels: texts,
  annotations,
  ownerReferences: listOf(
    z.object({ kind: z.string(), name: z.string(), uid: z.string(), controller: maybe(z.boolean()) }),
  ),
});

/**
 * Kubernetes objects with the fields that the engine reads of them: the rest of an answer is
 * dropped, so that thousands of objects stay small in memory. Versions differ in which fields they send
 * (https://kubernetes.io/docs/reference/kubernetes-api/), so nearly all are optional, and null means absent.
 */
const Selector = z.object({
  matchLabels: texts,
  matchExpressions: listOf(z.object({ key: z.string(), operator: z.string(), values: listOf(z.string()) })),
});

const quantities = maybe(z.record(z.string(), z.union([z.string(), z.number()])));
const resources = maybe(z.object({ limits: quantities, requests: quantities }));

const isThere = z
  .unknown()
  .nullish()
  .transform((value) => value !== undefined && value !== null);

const PodContainer = z.object({
  name: z.string(),
  image: z.string().default(""),
  command: maybe(z.array(z.string())),
  args: maybe(z.array(z.string())),
  env: listOf(z.object({ name: z.string(), value: maybe(z.string()), valueFrom: isThere })),
  ports: listOf(z.object({ name: maybe(z.string()), containerPort: z.number(), protocol: maybe(z.string()) })),
  resources,
  volumeMounts: listOf(z.object({ name: z.string(), mountPath: z.string() })),
  imagePullPolicy: maybe(z.string()),
});

const PodTemplate = z.object({
  metadata: maybe(z.object({ labels: texts, annotations })),
  spec: z.object({
    containers: listOf(PodContainer),
    initContainers: listOf(
      z.object({ name: z.string(), image: z.string().default(""), restartPolicy: maybe(z.string()), resources }),
    ),
    // Of the pod as a whole.
    resources,
    volumes: listOf(
      z.object({
        name: z.string(),
        hostPath: maybe(z.object({ path: z.string() })),
        persistentVolumeClaim: maybe(z.object({ claimName: z.string(), readOnly: maybe(z.boolean()) })),
      }),
    ),
    restartPolicy: maybe(z.string()),
    terminationGracePeriodSeconds: maybe(z.number()),
    dnsPolicy: maybe(z.string()),
    serviceAccountName: maybe(z.string()),
  }),
});

const conditions = listOf(
  z.object({
    type: z.string(),
    status: z.string(),
    reason: maybe(z.string()),
    message: maybe(z.string()),
    lastProbeTime: maybe(z.string()),
    lastTransitionTime: maybe(z.string()),
    lastUpdateTime: maybe(z.string()),
  }),
);

const count = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);

const podsWanted = { minReadySeconds: maybe(z.number()), selector: Selector, template: PodTemplate };
const replicasThere = {
  observedGeneration: count,
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  conditions,
};

const Deployment = z.object({
  metadata: Metadata,
  spec: z.object({
    ...podsWanted,
    replicas: z.number().default(1),
    paused: maybe(z.boolean()),
    progressDeadlineSeconds: maybe(z.number()),
    strategy: maybe(z.object({ type: maybe(z.string()) })),
  }),
  status: z.object({ ...replicasThere, availableReplicas: count }),
});

const StatefulSet = z.object({
  metadata: Metadata,
  spec: z.object({
    ...podsWanted,
    replicas: z.number().default(1),
    updateStrategy: maybe(
      z.object({ type: maybe(z.string()), rollingUpdate: maybe(z.object({ partition: maybe(z.number()) })) }),
    ),
  }),
  status: z.object({
    ...replicasThere,
    availableReplicas: maybe(z.number()),
    currentRevision: maybe(z.string()),
    updateRevision: maybe(z.string()),
  }),
});

const DaemonSet = z
  .object({
    metadata: Metadata,
    spec: z.object({
      ...podsWanted,
      updateStrategy: maybe(z.object({ type: maybe(z.string()) })),
    }),
    status: z.object({
      observedGeneration: count,
      desiredNumberScheduled: count,
      currentNumberScheduled: count,
      updatedNumberScheduled: count,
      numberReady: count,
      numberAvailable: count,
    }),
  })
  // Nobody sets its size: it is the number of nodes that should run it.
  .transform((daemonSet) => ({
    ...daemonSet,
    spec: { ...daemonSet.spec, replicas: daemonSet.status.desiredNumberScheduled },
  }));

/** Whole, because a service may go back to it. */
const KeptTemplate = z.looseObject({
  metadata: maybe(z.looseObject({ labels: texts })),
  spec: z.looseObject({
    containers: listOf(z.looseObject({ image: z.string().default("") })),
    // As it was written, because all of it is written again.
    initContainers: z.array(z.looseObject({ image: z.string().optional() })).nullish(),
  }),
});

/** Keeps a version of a Deployment's pods. */
const ReplicaSet = z.object({ metadata: Metadata, spec: z.object({ template: KeptTemplate }) });

/** Keeps a version of the pods of a StatefulSet or DaemonSet, as a patch. */
const ControllerRevision = z.object({
  metadata: Metadata,
  revision: z.number(),
  data: z.object({ spec: z.object({ template: KeptTemplate }) }),
});

/** Of a kind that Gantry doesn't run: only that it is there. */
const Unread = z.object({ metadata: Metadata });

const CronJob = z.object({
  metadata: Metadata,
  spec: z.object({
    schedule: z.string(),
    timeZone: maybe(z.string()),
    suspend: maybe(z.boolean()),
    concurrencyPolicy: maybe(z.string()),
    // Whole, because jobs are made of it.
    jobTemplate: z.looseObject({
      metadata: maybe(z.object({ labels: texts, annotations })),
      spec: z.looseObject({ template: z.looseObject({}) }),
    }),
  }),
  status: maybe(z.object({ lastScheduleTime: maybe(z.string()) })),
});

const Job = z.object({
  metadata: Metadata,
  spec: z.object({
    parallelism: maybe(z.number()),
    completions: maybe(z.number()),
    backoffLimit: maybe(z.number()),
    suspend: maybe(z.boolean()),
    // Who runs it, if that isn't the job controller of Kubernetes.
    managedBy: maybe(z.string()),
    selector: maybe(Selector),
    template: PodTemplate,
  }),
  status: z.object({
    conditions,
    startTime: maybe(z.string()),
    completionTime: maybe(z.string()),
    active: count,
    succeeded: count,
    failed: count,
  }),
});

const Terminated = z.object({
  exitCode: z.number(),
  signal: maybe(z.number()),
  reason: maybe(z.string()),
  message: maybe(z.string()),
  startedAt: maybe(z.string()),
  finishedAt: maybe(z.string()),
});

const ContainerState = z.object({
  running: maybe(z.object({ startedAt: maybe(z.string()) })),
  waiting: maybe(z.object({ reason: maybe(z.string()), message: maybe(z.string()) })),
  terminated: maybe(Terminated),
});

const containerStatuses = listOf(
  z.object({
    name: z.string(),
    ready: z.boolean(),
    restartCount: z.number(),
    containerID: maybe(z.string()),
    // `docker.io/shop/web@sha256:…`; of an image that came from no registry, its id alone.
    imageID: maybe(z.string()),
    // With which it runs now: a resize in place changes it. Since Kubernetes 1.27.
    resources,
    state: maybe(ContainerState),
    lastState: maybe(ContainerState),
  }),
);

const Pod = z.object({
  metadata: Metadata,
  spec: z.object({
    containers: listOf(z.object({ name: z.string(), image: maybe(z.string()) })),
    initContainers: listOf(z.object({ name: z.string(), image: maybe(z.string()), restartPolicy: maybe(z.string()) })),
    nodeName: maybe(z.string()),
    readinessGates: listOf(z.object({ conditionType: z.string() })),
  }),
  status: z.object({
    phase: maybe(z.string()),
    reason: maybe(z.string()),
    message: maybe(z.string()),
    startTime: maybe(z.string()),
    conditions,
    containerStatuses,
    initContainerStatuses: containerStatuses,
  }),
});

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
const Event = z.object({
  metadata: Metadata,
  involvedObject: z.object({ name: maybe(z.string()), uid: maybe(z.string()) }),
  type: maybe(z.string()),
  reason: maybe(z.string()),
  message: maybe(z.string()),
  count: maybe(z.number()),
  firstTimestamp: maybe(z.string()),
  lastTimestamp: maybe(z.string()),
  // Of newer reporters, which leave out the fields above.
  eventTime: maybe(z.string()),
  series: maybe(z.object({ count: maybe(z.number()), lastObservedTime: maybe(z.string()) })),
});

const Autoscaler = z.object({
  metadata: Metadata,
  spec: z.object({
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
    minReplicas: z.number().default(1),
  }),
});

const VolumeClaim = z.object({
  metadata: Metadata,
  spec: z.object({ accessModes: listOf(z.string()) }),
});

const ServiceObject = z.object({
  metadata: Metadata,
  spec: z.object({
    type: maybe(z.string()),
    clusterIP: maybe(z.string()),
    selector: texts,
    ports: listOf(
      z.object({
        name: maybe(z.string()),
        port: z.number(),
        targetPort: maybe(z.union([z.string(), z.number()])),
        nodePort: maybe(z.number()),
        protocol: maybe(z.string()),
      }),
    ),
  }),
  status: maybe(
    z.object({
      loadBalancer: maybe(
        z.object({ ingress: listOf(z.object({ ip: maybe(z.string()), hostname: maybe(z.string()) })) }),
      ),
    }),
  ),
});

const IngressBackend = maybe(z.looseObject({ service: maybe(z.looseObject({ name: z.string() })) }));

const Ingress = z.object({
  metadata: Metadata,
  spec: z.object({
    ingressClassName: maybe(z.string()),
    defaultBackend: IngressBackend,
    // Whole, because they are written again.
    rules: listOf(
      z.looseObject({
        host: maybe(z.string()),
        http: maybe(z.looseObject({ paths: listOf(z.looseObject({ backend: IngressBackend })) })),
      }),
    ),
  }),
});

/** `kind` and `namespace` of a backend are absent for a v1 Service of the route's own namespace. */
const RouteBackend = z.object({ kind: maybe(z.string()), name: z.string(), namespace: maybe(z.string()) });

const HttpRoute = z.object({
  metadata: Metadata,
  spec: z.object({ hostnames: listOf(z.string()), rules: listOf(z.object({ backendRefs: listOf(RouteBackend) })) }),
});

/** Path of each kind's API group, the one that older clusters have instead, its plural in paths, and its schema. */
export const kinds = {
  Deployment: { group: "apis/apps/v1", plural: "deployments", schema: Deployment },
  StatefulSet: { group: "apis/apps/v1", plural: "statefulsets", schema: StatefulSet },
  DaemonSet: { group: "apis/apps/v1", plural: "daemonsets", schema: DaemonSet },
  CronJob: { group: "apis/batch/v1", olderGroup: "apis/batch/v1beta1", plural: "cronjobs", schema: CronJob },
  ReplicaSet: { group: "apis/apps/v1", plural: "replicasets", schema: ReplicaSet },
  ControllerRevision: { group: "apis/apps/v1", plural: "controllerrevisions", schema: ControllerRevision },
  Rollout: { group: "apis/argoproj.io/v1alpha1", plural: "rollouts", schema: Unread },
  Job: { group: "apis/batch/v1", plural: "jobs", schema: Job },
  Pod: { group: "api/v1", plural: "pods", schema: Pod },
  Service: { group: "api/v1", plural: "services", schema: ServiceObject },
  Ingress: { group: "apis/networking.k8s.io/v1", plural: "ingresses", schema: Ingress },
  HTTPRoute: { group: "apis/gateway.networking.k8s.io/v1", plural: "httproutes", schema: HttpRoute },
  HorizontalPodAutoscaler: { group: "apis/autoscaling/v1", plural: "horizontalpodautoscalers", schema: Autoscaler },
  PersistentVolumeClaim: { group: "api/v1", plural: "persistentvolumeclaims", schema: VolumeClaim },
  /** Of the cluster, not of a namespace: its place has an empty one. */
  Namespace: { group: "api/v1", plural: "namespaces", schema: Unread },
  Event: { group: "api/v1", plural: "events", schema: Event },
} as const;

export type Kind = keyof typeof kinds;

/** An object of a kind, as far as the engine reads it. */
export type KubeObject<K extends Kind = Kind> = z.output<(typeof kinds)[K]["schema"]>;

export type Pod = KubeObject<"Pod">;
export type Event = KubeObject<"Event">;
export type Deployment = KubeObject<"Deployment">;

/** `apiVersion` of a group, for objects that are created. */
export function apiVersionOf(group: string): string {
  return group.replace(/^apis?\//u, "");
}
