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

/** Fields that are read alike, each of them `lenient`. */
function each<Schema extends z.ZodType, const Name extends string>(schema: Schema, ...names: readonly Name[]) {
  const field = lenient(schema);
  const fields = Object.fromEntries(names.map((name) => [name, field]));
  return fields as Record<Name, typeof field>; // these names
}

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
  ...each(text, "image", "image_digest"),
  resources: lenient(Resources),
});
export type Sidecar = z.output<typeof Sidecar>;

/** Containers that start before the others. Updates find them by name. */
export const InitContainers = lenient(listOf(Sidecar));

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
  ...each(text, "created_at", "outcome", "ended_at"),
  is_current: lenient(z.boolean()),
});
export type Revision = z.output<typeof Revision>;

/** How the replacement of instances goes. */
const Rollout = z.looseObject({
  ...each(count, "from", "to"),
  state: text,
  ...each(count, "updated", "ready", "old_ready", "target"),
  ...each(text, "since", "ended_at", "message"),
});
export type Rollout = Guarded<z.output<typeof Rollout>>;

const JobContainer = z.looseObject({
  ...each(text, "name", "image"),
  command: lenient(listOf(text)),
  env: lenient(listOf(EnvVar)),
  resources: lenient(JobResources),
  memory_now: MemoryNow,
  volumeMounts: lenient(listOf(VolumeMount)),
  ...each(text, "terminationMessagePath", "imagePullPolicy"),
});
export type JobContainer = z.output<typeof JobContainer>;

const HostVolume = z.looseObject({ name: identity, hostPath: lenient(z.looseObject({ path: lenient(text) })) });

const labels = lenient(z.record(z.string(), text));

const JobMetadata = z.looseObject({
  name: identity,
  ...each(text, "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp"),
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
      ...each(text, "restartPolicy", "dnsPolicy", "serviceAccountName"),
      terminationGracePeriodSeconds: lenient(count),
      securityContext: lenient(z.looseObject({})),
    }),
  ),
});

const JobSpec = z.looseObject({
  ...each(count, "parallelism", "completions"),
  selector: lenient(z.looseObject({ matchLabels: labels })),
  template: lenient(JobTemplate),
});

const JobCondition = z.looseObject({
  type: identity,
  ...each(text, "status", "lastProbeTime", "lastTransitionTime", "reason", "message"),
});
export type JobCondition = Guarded<z.output<typeof JobCondition>>;

const JobStatus = z.looseObject({
  conditions: lenient(listOf(JobCondition)),
  ...each(text, "startTime", "completionTime"),
  ...each(count, "active", "succeeded", "failed"),
});
export type JobStatus = Guarded<z.output<typeof JobStatus>>;

/** Of a CronJob, whose runs are jobs of their own. */
const Schedule = lenient(
  z.looseObject({
    cron: identity,
    ...each(identity, "time_zone", "last_job"),
    suspended: lenient(z.boolean()),
    ...each(text, "next_run", "last_run", "last_result"),
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
  ...each(identity, "kubernetes_kind", "managed_by"),
  schedule: Schedule,
  refused_operations: RefusedOperations,
});
export type RawJob = Tied<z.output<typeof Job>, Differences<z.output<typeof Job>, spec.Job>>;
export type Job = Guarded<RawJob>;

/** `container_port` when services are read, `port` when one is created. */
const ServicePort = z.looseObject({ container_port: lenient(count), port: lenient(count), protocol: lenient(text) });
export type ServicePort = z.output<typeof ServicePort>;

const ServiceContainer = z.looseObject({
  ...each(text, "name", "image", "image_digest"),
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
  ...each(text, "service_url", "protocol"),
  container_port: lenient(count),
});
export type PortMapping = z.output<typeof PortMapping>;

const ServiceVolume = z.looseObject({
  name: identity,
  ...each(text, "disk_name", "fsType"),
  is_read_only: lenient(z.boolean()),
});
export type ServiceVolume = z.output<typeof ServiceVolume>;

/** A service without a name can't be shown or addressed, so the name is required. */
export const Service = z.looseObject({
  ...each(text, "region", "uid"),
  name: identity,
  ...each(identity, "namespace", "message"),
  ...each(text, "created_at", "status"),
  ...details,
  revision: lenient(count),
  revisions: lenient(listOf(Revision)),
  rollout: lenient(Rollout),
  instance_names: lenient(listOf(identity)),
  status_since: lenient(text),
  ...each(count, "min_ready_seconds", "ready_instances"),
  restarts: lenient(
    z.looseObject({
      count: lenient(count),
      ...each(text, "first_at", "last_at", "last_reason"),
    }),
  ),
  restart_count: lenient(count),
  last_state: LastState,
  ...each(identity, "kubernetes_kind", "managed_by", "size_set_by"),
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
