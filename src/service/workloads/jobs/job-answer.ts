import type {
  DeletedJob,
  HostVolume,
  Job as JobBody,
  JobCondition,
  JobContainer,
  JobStatus,
  JobTemplateSpec,
  VolumeMount,
} from "../../../api/schema.ts";
import { defined } from "../../../platform/optional.ts";
import { type Container, enforcedFields, type EnforcedMib } from "../definitions.ts";
import type { Job } from "../state/store.ts";
import { ownerFields, type Ownership, refusedFields, unwellFields, type Unwell } from "../answer-fields.ts";

/** Facts besides the job itself: host paths of its volumes, and why it is not running. */
export type AroundJob = Unwell & {
  /** Undefined for a volume that isn't on a host. */
  readonly volumePath: (volume: string) => string | undefined;
  readonly held?: string | undefined;
  readonly enforcedMib?: EnforcedMib | undefined;
  /** Where the job is kept; the name of its user if undefined. */
  readonly namespace?: string;
  /** Its name there, where it isn't that of the job. */
  readonly objectName?: string;
  /** Where an engine's jobs differ from one run of one instance. */
  readonly run?: JobRunFacts;
};

/** The answer to a deletion: reads answer 404 from then on, also while instances still stop. */
export function deletedJob(jobName: string, isStopped: boolean): DeletedJob {
  return { jobName, ...(!isStopped && { message: "Its instances are still stopping." }) };
}

export type JobRunFacts = {
  readonly instances: readonly string[];
  readonly parallelism: number;
  readonly completions: number;
  /** The job's real counts, which replace those derived from `outcome`. */
  readonly conditions: readonly JobCondition[];
  readonly active: number;
  readonly succeeded: number;
  /** Instead of what every job of this API has. */
  readonly template: Pick<
    JobTemplateSpec,
    "restartPolicy" | "terminationGracePeriodSeconds" | "dnsPolicy" | "serviceAccountName"
  >;
};

/** A job in a list. */
export function listedJob(job: Job, around: AroundJob, { objectKind, managedBy }: Ownership = {}): JobBody {
  const { namespace = job.username, objectName = job.name, run } = around;
  return {
    metadata: {
      name: job.name,
      namespace,
      selfLink: `/apis/batch/v1/namespaces/${namespace}/jobs/${objectName}`,
      uid: job.uid,
      resourceVersion: String(job.version),
      creationTimestamp: job.createdAt,
      labels: { name: job.name },
    },
    spec: {
      parallelism: run?.parallelism ?? 1,
      completions: run?.completions ?? 1,
      selector: { matchLabels: { "controller-uid": job.uid } },
      template: { metadata: templateMetadata(job), spec: templateSpec(job, around) },
    },
    status: statusOf(job, around),
    ...unwellFields(around),
    ...ownerFields({ objectKind, managedBy }),
  };
}

/** A job that is read alone. */
export function readJob(job: Job, around: AroundJob, ownership: Ownership = {}): JobBody {
  const instances = [...(around.run?.instances ?? [job.instance])];
  return { instance_names: instances, ...listedJob(job, around, ownership), ...refusedFields(ownership) };
}

/** A job in the answer to its creation: its status is empty, its template names the namespace. */
export function createdJob(job: Job, around: AroundJob): JobBody {
  const { metadata, spec } = listedJob(job, around);
  const template = {
    ...spec?.template,
    metadata: { ...templateMetadata(job), namespace: around.namespace ?? job.username },
  };
  return { metadata, spec: { ...spec, template }, status: {} };
}

function templateMetadata({ name, uid }: Job) {
  const labels = { "controller-uid": uid, "job-name": name, name };
  return { name, creationTimestamp: null, labels };
}

function templateSpec(job: Job, { volumePath, run, enforcedMib }: AroundJob): JobTemplateSpec {
  const { definition, name } = job;
  const volumes = definition.volumes.map((volume): HostVolume => {
    const path = volumePath(volume);
    return { name: volume, ...(path !== undefined && { hostPath: { path } }) };
  });
  if (definition.syncTimezone) volumes.push({ name: `${name}-time-zone`, hostPath: { path: LOCAL_TIME } });
  const added = definition.syncTimezone ? [{ name: `${name}-time-zone`, mountPath: LOCAL_TIME, readOnly: true }] : [];
  return {
    volumes: volumes.length > 0 ? volumes : null,
    containers: definition.containers.map((container) => containerBody(container, { added, enforcedMib })),
    restartPolicy: "OnFailure",
    // The value of the API's example; the engine's real grace time is a setting.
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "",
    ...run?.template,
    securityContext: {},
  };
}

const LOCAL_TIME = "/etc/localtime";

type AroundContainer = { readonly added: readonly VolumeMount[]; readonly enforcedMib: EnforcedMib | undefined };

function containerBody(container: Container, { added, enforcedMib }: AroundContainer): JobContainer {
  const { name, image, command, env, memoryMib, mounts, pullAlways } = container;
  return {
    name,
    image,
    ...(command && { command: [...command] }),
    ...(env && { env: [...env] }),
    resources: {
      ...(memoryMib !== undefined && { limits: { memory: `${memoryMib}Mi` } }),
      ...enforcedFields(memoryMib, enforcedMib),
    },
    volumeMounts: [...mounts.map(({ name, mountPath }) => ({ name, mountPath })), ...added],
    terminationMessagePath: "/dev/termination-log",
    imagePullPolicy: pullAlways ? "Always" : "IfNotPresent",
  };
}

/** `held` says why an unfinished job is not running. */
function statusOf(job: Job, { held, run }: AroundJob): JobStatus {
  const { startedAt, endedAt, outcome, failures } = job;
  if (!run && outcome === undefined && held !== undefined) {
    return { conditions: [{ type: "Failed", status: "True", reason: "NotStarted", message: held }] };
  }
  if (!run && startedAt === undefined) return {};
  const isOver = outcome !== undefined && endedAt !== undefined;
  const completedAt = outcome === "complete" ? endedAt : undefined;
  const conditions = run?.conditions ?? (isOver ? [condition(outcome, endedAt, job)] : []);
  const { active, succeeded } = run ?? { active: outcome ? 0 : 1, succeeded: completedAt === undefined ? 0 : 1 };
  return {
    ...(conditions.length > 0 && { conditions: [...conditions] }),
    ...defined({ startTime: startedAt, completionTime: completedAt }),
    ...(active > 0 && { active }),
    ...(succeeded > 0 && { succeeded }),
    ...(failures > 0 && { failed: failures }),
  };
}

function condition(outcome: "complete" | "failed", at: string, job: Job): JobCondition {
  const times = { status: "True", lastProbeTime: at, lastTransitionTime: at };
  if (outcome === "complete") return { type: "Complete", ...times };
  if (job.reason !== undefined) return { type: "Failed", ...times, reason: "RunLost", message: job.reason };
  return { type: "Failed", ...times, reason: "BackoffLimitExceeded", message: attemptsText(job) };
}

/** How the last failed attempt ended, and how many failed: "exit code 2 after 4 attempts". */
export function attemptsText({ failures, lastExit = "failed" }: Pick<Job, "failures" | "lastExit">): string {
  return `${lastExit} after ${failures} ${failures === 1 ? "attempt" : "attempts"}`;
}
