import { z } from "zod";
import type { Guarded } from "./redacted.ts";
import { readsListOf, type Differences, type Tied } from "./fits.ts";
import type * as spec from "./schema.ts";

/**
 * A field that can be missing, null or malformed: all three become undefined, so that one bad field doesn't hide the
 * rest of the answer.
 */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Text or a number, as text: a `uid` or an environment value can arrive as a number. */
export const text = z.union([z.string(), z.number().transform(String)]);

/** Text that is not empty. */
export const identity = text.refine((value) => value !== "");

/** A count, which some services write as text. */
export const count = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,15}$/u)
    .transform(Number),
]);

/** Drops malformed items. */
export function listOf<Item extends z.ZodType>(item: Item) {
  const list = z.array(z.unknown()).transform((values) =>
    values.flatMap((value): z.output<Item>[] => {
      const read = item.safeParse(value);
      return read.success ? [read.data] : [];
    }),
  );
  readsListOf(list, item);
  return list;
}

/** An environment variable of a job or service. Its value may be a secret. */
export const EnvVar = z.looseObject({ name: identity, value: lenient(text) });
export type EnvVar = z.output<typeof EnvVar>;

export const VolumeMount = z.looseObject({ name: identity, mountPath: lenient(text), readOnly: lenient(z.boolean()) });
export type VolumeMount = z.output<typeof VolumeMount>;

/** `parseMemoryMiB` reads the memory. */
const memory = z.union([z.string(), z.number()]);
const Resources = z.looseObject({
  limits: lenient(z.looseObject({ memory: lenient(memory) })),
  enforced: lenient(z.looseObject({ memory: lenient(text) })),
});
export type Resources = z.output<typeof Resources>;
const JobResources = Resources.extend({
  limits: lenient(z.looseObject({ cpu: lenient(text), memory: lenient(memory) })),
});

/** How a container last ended. */
export const LastState = lenient(
  z.looseObject({ reason: lenient(text), exit_code: lenient(count), finished_at: lenient(text) }),
);
export type RawLastState = z.output<typeof LastState>;
export type LastState = Guarded<RawLastState>;

/** Unlike other fields, a malformed `part` drops its item: without one it would be about the whole operation. */
export const RefusedOperations = lenient(
  listOf(z.looseObject({ operation: identity, part: text.optional(), reason: identity })),
);

/** What the cluster reports of a workload. */
const Event = z.looseObject({
  reason: identity,
  message: identity,
  object: lenient(identity),
  count: lenient(count),
  last_at: lenient(text),
});
export type Event = Guarded<z.output<typeof Event>>;

/** A native sidecar: an update can give it another image and nothing else. */
const Sidecar = z.looseObject({
  name: identity,
  image: lenient(text),
  image_digest: lenient(text),
  resources: lenient(Resources),
});
export type Sidecar = z.output<typeof Sidecar>;

/** Containers that start before the others. Updates find them by name. */
export const InitContainers = lenient(
  listOf(
    z.looseObject({
      name: identity,
      image: lenient(text),
      image_digest: lenient(text),
      resources: lenient(Resources),
    }),
  ),
);

/** The limits with which instances run now, where a resize in place changed them. */
export const MemoryNow = lenient(listOf(memory));

/** What is told of a service as of a job, with the read of one alone. */
export const details = {
  events: lenient(listOf(Event)),
  events_not_read: lenient(identity),
  init_containers: InitContainers,
  sidecars: lenient(listOf(Sidecar)),
  instance_memory: lenient(memory),
};

/** Images and environment variables of a service as they were set together. */
const Revision = z.looseObject({
  revision: count,
  images: lenient(z.array(text)),
  image_digests: lenient(z.array(text)),
  created_at: lenient(text),
  outcome: lenient(text),
  ended_at: lenient(text),
  is_current: lenient(z.boolean()),
});
export type Revision = z.output<typeof Revision>;

/** How the replacement of instances goes. */
const Rollout = z.looseObject({
  from: lenient(count),
  to: lenient(count),
  state: text,
  updated: lenient(count),
  ready: lenient(count),
  old_ready: lenient(count),
  target: lenient(count),
  since: lenient(text),
  ended_at: lenient(text),
  message: lenient(text),
});
export type Rollout = Guarded<z.output<typeof Rollout>>;

const JobContainer = z.looseObject({
  name: lenient(text),
  image: lenient(text),
  command: lenient(listOf(text)),
  env: lenient(listOf(EnvVar)),
  resources: lenient(JobResources),
  memory_now: MemoryNow,
  volumeMounts: lenient(listOf(VolumeMount)),
  terminationMessagePath: lenient(text),
  imagePullPolicy: lenient(text),
});
export type JobContainer = z.output<typeof JobContainer>;

const HostVolume = z.looseObject({ name: identity, hostPath: lenient(z.looseObject({ path: lenient(text) })) });

const labels = lenient(z.record(z.string(), text));

const JobMetadata = z.looseObject({
  name: identity,
  namespace: lenient(text),
  selfLink: lenient(text),
  uid: lenient(text),
  resourceVersion: lenient(text),
  creationTimestamp: lenient(text),
  labels,
});

const JobTemplate = z.looseObject({
  metadata: lenient(
    z.looseObject({ name: lenient(text), namespace: lenient(text), creationTimestamp: lenient(text), labels }),
  ),
  spec: lenient(
    z.looseObject({
      volumes: lenient(listOf(HostVolume)),
      containers: lenient(listOf(JobContainer)),
      restartPolicy: lenient(text),
      terminationGracePeriodSeconds: lenient(count),
      dnsPolicy: lenient(text),
      serviceAccountName: lenient(text),
      securityContext: lenient(z.looseObject({})),
    }),
  ),
});

const JobSpec = z.looseObject({
  parallelism: lenient(count),
  completions: lenient(count),
  selector: lenient(z.looseObject({ matchLabels: labels })),
  template: lenient(JobTemplate),
});

const JobCondition = z.looseObject({
  type: identity,
  status: lenient(text),
  lastProbeTime: lenient(text),
  lastTransitionTime: lenient(text),
  reason: lenient(text),
  message: lenient(text),
});
export type JobCondition = Guarded<z.output<typeof JobCondition>>;

const JobStatus = z.looseObject({
  conditions: lenient(listOf(JobCondition)),
  startTime: lenient(text),
  completionTime: lenient(text),
  active: lenient(count),
  succeeded: lenient(count),
  failed: lenient(count),
});
export type JobStatus = Guarded<z.output<typeof JobStatus>>;

/** Of a CronJob, whose runs are jobs of their own. */
const Schedule = lenient(
  z.looseObject({
    cron: identity,
    time_zone: lenient(identity),
    suspended: lenient(z.boolean()),
    next_run: lenient(text),
    last_run: lenient(text),
    last_job: lenient(identity),
    last_result: lenient(text),
  }),
);

/** A job without a name can't be shown or addressed, so the name is required. */
export const Job = z.looseObject({
  instance_names: lenient(listOf(identity)),
  metadata: JobMetadata,
  spec: lenient(JobSpec),
  status: lenient(JobStatus),
  restart_count: lenient(count),
  last_state: LastState,
  message: lenient(identity),
  ...details,
  kubernetes_kind: lenient(identity),
  managed_by: lenient(identity),
  schedule: Schedule,
  refused_operations: RefusedOperations,
});
export type RawJob = Tied<z.output<typeof Job>, Differences<z.output<typeof Job>, spec.Job>>;
export type Job = Guarded<RawJob>;

/** `container_port` when services are read, `port` when one is created. */
const ServicePort = z.looseObject({ container_port: lenient(count), port: lenient(count), protocol: lenient(text) });
export type ServicePort = z.output<typeof ServicePort>;

const ServiceContainer = z.looseObject({
  name: lenient(text),
  image: lenient(text),
  image_digest: lenient(text),
  command: lenient(listOf(text)),
  env: lenient(listOf(EnvVar)),
  ports: lenient(listOf(ServicePort)),
  resources: lenient(Resources),
  memory_now: MemoryNow,
  volumeMounts: lenient(listOf(VolumeMount)),
  imagePullPolicy: lenient(text),
});
export type ServiceContainer = z.output<typeof ServiceContainer>;

const PortMapping = z.looseObject({
  service_url: lenient(text),
  container_port: lenient(count),
  protocol: lenient(text),
});
export type PortMapping = z.output<typeof PortMapping>;

const ServiceVolume = z.looseObject({
  name: identity,
  disk_name: lenient(text),
  fsType: lenient(text),
  is_read_only: lenient(z.boolean()),
});
export type ServiceVolume = z.output<typeof ServiceVolume>;

/** A service without a name can't be shown or addressed, so the name is required. */
export const Service = z.looseObject({
  region: lenient(text),
  uid: lenient(text),
  name: identity,
  namespace: lenient(identity),
  created_at: lenient(text),
  status: lenient(text),
  message: lenient(identity),
  ...details,
  revision: lenient(count),
  revisions: lenient(listOf(Revision)),
  rollout: lenient(Rollout),
  instance_names: lenient(listOf(identity)),
  status_since: lenient(text),
  min_ready_seconds: lenient(count),
  ready_instances: lenient(count),
  restarts: lenient(
    z.looseObject({
      count: lenient(count),
      first_at: lenient(text),
      last_at: lenient(text),
      last_reason: lenient(text),
    }),
  ),
  restart_count: lenient(count),
  last_state: LastState,
  kubernetes_kind: lenient(identity),
  managed_by: lenient(identity),
  size_set_by: lenient(identity),
  runs_this_api: lenient(z.boolean()),
  start_command: lenient(text),
  refused_operations: RefusedOperations,
  target_instance_size: lenient(count),
  // Updates go by position, so a malformed container keeps its place.
  containers: lenient(z.array(ServiceContainer.catch({}))),
  port_mappings: lenient(listOf(PortMapping)),
  volumes: lenient(listOf(ServiceVolume)),
  default_domain_name: lenient(text),
  // It is sent back as a whole, so a list that is only partly readable is unknown.
  binding_domain_name: lenient(z.array(identity)),
});
export type RawService = Tied<z.output<typeof Service>, Differences<z.output<typeof Service>, spec.Service>>;
export type Service = Guarded<RawService>;
