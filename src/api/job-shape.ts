import { z } from "zod";
import { count, identity, listOf, lenient, text } from "./lenient.ts";

/** An environment variable of a job or service. Its value may be a secret. */
export const EnvVar = z.looseObject({ name: identity, value: lenient(text) });
export type EnvVar = z.output<typeof EnvVar>;

export const VolumeMount = z.looseObject({ name: identity, mountPath: lenient(text), readOnly: lenient(z.boolean()) });
export type VolumeMount = z.output<typeof VolumeMount>;

/** `parseMemoryMiB` reads the memory. */
const memory = z.union([z.string(), z.number()]);
export const Resources = z.looseObject({
  limits: lenient(z.looseObject({ cpu: lenient(text), memory: lenient(memory) })),
  enforced: lenient(z.looseObject({ memory: lenient(text) })),
});
export type Resources = z.output<typeof Resources>;

/** How a container last ended. */
export const LastState = lenient(
  z.looseObject({ reason: lenient(text), exit_code: lenient(count), finished_at: lenient(text) }),
);
export type LastState = z.output<typeof LastState>;

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
export type Event = z.output<typeof Event>;

/** A native sidecar: a container that no update reaches. */
const Sidecar = z.looseObject({ name: identity, image: lenient(text), resources: lenient(Resources) });
export type Sidecar = z.output<typeof Sidecar>;

/** The limits with which instances run now, where a resize in place changed them. */
export const MemoryNow = lenient(listOf(memory));

/** What is told of a service as of a job, with the read of one alone. */
export const details = {
  events: lenient(listOf(Event)),
  events_not_read: lenient(identity),
  sidecars: lenient(listOf(Sidecar)),
  instance_memory: lenient(memory),
};

const JobContainer = z.looseObject({
  name: lenient(text),
  image: lenient(text),
  command: lenient(listOf(text)),
  env: lenient(listOf(EnvVar)),
  resources: lenient(Resources),
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
export type JobCondition = z.output<typeof JobCondition>;

const JobStatus = z.looseObject({
  conditions: lenient(listOf(JobCondition)),
  startTime: lenient(text),
  completionTime: lenient(text),
  active: lenient(count),
  succeeded: lenient(count),
  failed: lenient(count),
});
export type JobStatus = z.output<typeof JobStatus>;

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
  managed_by: lenient(identity),
  schedule: Schedule,
  refused_operations: RefusedOperations,
});
export type Job = z.output<typeof Job>;
