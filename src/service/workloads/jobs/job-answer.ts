import type { Job as JobBody, JobCondition, JobContainer, JobStatus, VolumeMount } from "../../../api/schema.ts";
import type { Container } from "../definitions/container.ts";
import type { Job } from "../state/job-store.ts";

/** Facts besides the job itself: host paths of its volumes, and why it is not running. */
type Around = { readonly volumePath: (volume: string) => string; readonly held?: string | undefined };

/** A job in a list. */
export function listedJob(job: Job, { volumePath, held }: Around): JobBody {
  return {
    metadata: {
      name: job.name,
      namespace: job.username,
      selfLink: `/apis/batch/v1/namespaces/${job.username}/jobs/${job.name}`,
      uid: job.uid,
      resourceVersion: String(job.version),
      creationTimestamp: job.createdAt,
      labels: { name: job.name },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      selector: { matchLabels: { "controller-uid": job.uid } },
      template: { metadata: templateMetadata(job), spec: templateSpec(job, volumePath) },
    },
    status: statusOf(job, held),
  };
}

/** A job that is read alone. */
export function readJob(job: Job, around: Around): JobBody {
  return { instance_names: [job.instance], ...listedJob(job, around) };
}

/** A job in the answer to its creation: its status is empty, its template names the namespace. */
export function createdJob(job: Job, around: Around): JobBody {
  const { metadata, spec } = listedJob(job, around);
  const template = {
    ...spec?.template,
    metadata: { ...templateMetadata(job), namespace: job.username },
  };
  return { metadata, spec: { ...spec, template }, status: {} };
}

function templateMetadata({ name, uid }: Job) {
  const labels = { "controller-uid": uid, "job-name": name, name };
  return { name, creationTimestamp: null, labels };
}

function templateSpec(job: Job, volumePath: (volume: string) => string) {
  const { definition, name } = job;
  const volumes = definition.volumes.map((volume) => ({ name: volume, hostPath: { path: volumePath(volume) } }));
  if (definition.syncTimezone) volumes.push({ name: `${name}-time-zone`, hostPath: { path: LOCAL_TIME } });
  const added = definition.syncTimezone ? [{ name: `${name}-time-zone`, mountPath: LOCAL_TIME, readOnly: true }] : [];
  return {
    volumes: volumes.length > 0 ? volumes : null,
    containers: definition.containers.map((container) => containerBody(container, added)),
    restartPolicy: "OnFailure",
    // The value of the API's example; the engine's real grace time is a setting.
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "",
    securityContext: {},
  };
}

const LOCAL_TIME = "/etc/localtime";

function containerBody(container: Container, added: readonly VolumeMount[]): JobContainer {
  const { name, image, command, env, memoryMib, mounts, pullAlways } = container;
  return {
    name,
    image,
    ...(command && { command: [...command] }),
    ...(env && { env: [...env] }),
    resources: memoryMib === undefined ? {} : { limits: { memory: `${memoryMib}Mi` } },
    volumeMounts: [...mounts.map(({ name, mountPath }) => ({ name, mountPath })), ...added],
    terminationMessagePath: "/dev/termination-log",
    imagePullPolicy: pullAlways ? "Always" : "IfNotPresent",
  };
}

/** `held` says why an unfinished job is not running. */
function statusOf(job: Job, held: string | undefined): JobStatus {
  const { startedAt, endedAt, outcome, failures } = job;
  if (outcome === undefined && held !== undefined) return { conditions: [heldCondition(held)] };
  if (startedAt === undefined) return {};
  return {
    ...(outcome && endedAt !== undefined && { conditions: [condition(outcome, endedAt, job)] }),
    startTime: startedAt,
    ...(outcome === "complete" && endedAt !== undefined && { completionTime: endedAt, succeeded: 1 }),
    ...(outcome === undefined && { active: 1 }),
    ...(failures > 0 && { failed: failures }),
  };
}

function condition(outcome: "complete" | "failed", at: string, { failures, lastExit, reason }: Job): JobCondition {
  const times = { status: "True", lastProbeTime: at, lastTransitionTime: at };
  if (outcome === "complete") return { type: "Complete", ...times };
  if (reason !== undefined) return { type: "Failed", ...times, reason: "RunLost", message: reason };
  const attempts = `${failures} ${failures === 1 ? "attempt" : "attempts"}`;
  const message = lastExit === undefined ? `failed after ${attempts}` : `${lastExit} after ${attempts}`;
  return { type: "Failed", ...times, reason: "BackoffLimitExceeded", message };
}

function heldCondition(message: string): JobCondition {
  return { type: "Failed", status: "True", reason: "NotStarted", message };
}
