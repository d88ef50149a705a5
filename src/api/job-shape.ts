import { z } from "zod";
import { count, identity, listOf, maybe, text } from "./lenient.ts";

/** A named environment variable, in jobs and services. Its value may be a secret. */
export const EnvVar = z.looseObject({ name: identity, value: maybe(text) });
export type EnvVar = z.output<typeof EnvVar>;

export const VolumeMount = z.looseObject({ name: identity, mountPath: maybe(text), readOnly: maybe(z.boolean()) });
export type VolumeMount = z.output<typeof VolumeMount>;

/** Limits as they stand in an answer; `parseMemoryMiB` reads the memory. */
export const Resources = z.looseObject({
  limits: maybe(z.looseObject({ cpu: maybe(text), memory: maybe(z.union([z.string(), z.number()])) })),
});
export type Resources = z.output<typeof Resources>;

const JobContainer = z.looseObject({
  name: maybe(text),
  image: maybe(text),
  command: maybe(listOf(text)),
  env: maybe(listOf(EnvVar)),
  resources: maybe(Resources),
  volumeMounts: maybe(listOf(VolumeMount)),
  terminationMessagePath: maybe(text),
  imagePullPolicy: maybe(text),
});
export type JobContainer = z.output<typeof JobContainer>;

const HostVolume = z.looseObject({ name: identity, hostPath: maybe(z.looseObject({ path: maybe(text) })) });

const labels = maybe(z.record(z.string(), text));

const JobMetadata = z.looseObject({
  name: identity,
  namespace: maybe(text),
  selfLink: maybe(text),
  uid: maybe(text),
  resourceVersion: maybe(text),
  creationTimestamp: maybe(text),
  labels,
});

const JobTemplate = z.looseObject({
  metadata: maybe(z.looseObject({ name: maybe(text), namespace: maybe(text), creationTimestamp: maybe(text), labels })),
  spec: maybe(
    z.looseObject({
      volumes: maybe(listOf(HostVolume)),
      containers: maybe(listOf(JobContainer)),
      restartPolicy: maybe(text),
      terminationGracePeriodSeconds: maybe(count),
      dnsPolicy: maybe(text),
      serviceAccountName: maybe(text),
      securityContext: maybe(z.looseObject({})),
    }),
  ),
});

const JobSpec = z.looseObject({
  parallelism: maybe(count),
  completions: maybe(count),
  selector: maybe(z.looseObject({ matchLabels: labels })),
  template: maybe(JobTemplate),
});

const JobCondition = z.looseObject({
  type: identity,
  status: maybe(text),
  lastProbeTime: maybe(text),
  lastTransitionTime: maybe(text),
  reason: maybe(text),
  message: maybe(text),
});
export type JobCondition = z.output<typeof JobCondition>;

const JobStatus = z.looseObject({
  conditions: maybe(listOf(JobCondition)),
  startTime: maybe(text),
  completionTime: maybe(text),
  active: maybe(count),
  succeeded: maybe(count),
  failed: maybe(count),
});
export type JobStatus = z.output<typeof JobStatus>;

/** A job without a name cannot be shown or addressed: it is no job. */
export const Job = z.looseObject({
  instance_names: maybe(listOf(identity)),
  metadata: JobMetadata,
  spec: maybe(JobSpec),
  status: maybe(JobStatus),
});
export type Job = z.output<typeof Job>;
