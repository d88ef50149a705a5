import type { JobRunFacts } from "../../../../workloads/jobs/job-answer.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import { labels } from "../../names.ts";
import { isGantrys } from "../adoption.ts";
import { containersOf, type PodTemplate, volumeName } from "../containers.ts";
import type { FoundJob } from "./found-job.ts";
import { attemptsOf } from "./job-attempts.ts";
import { failureOf, jobConditions } from "./job-conditions.ts";
import { jobMessage } from "./job-message.ts";
import { isTimeZoneVolume, readRemembered } from "../remembered.ts";

type Pod = KubeObject<"Pod">;

/** A Job with its definition and how far it is, whoever wrote it. `pods`: in the order of their creation. */
export function projectJob(
  object: KubeObject<"Job">,
  pods: readonly Pod[],
  { name, username, now }: { readonly name: string; readonly username: string; readonly now: Date },
): Pick<FoundJob, "job" | "around"> {
  const { metadata, spec, status } = object;
  const remembered = readRemembered(metadata.annotations);
  const volumes = spec.template.spec.volumes
    .filter(({ name }) => !isTimeZoneVolume(name, remembered))
    .map(({ name, hostPath }) => ({ name: volumeName(name, remembered), path: hostPath?.path }));
  const failed = failureOf(status);
  const attempts = attemptsOf(object, pods);
  const job: Job = {
    uid: metadata.uid,
    username,
    name,
    createdAt: metadata.creationTimestamp,
    version: Number(metadata.resourceVersion),
    instance: pods[0]?.metadata.name ?? metadata.name,
    definition: {
      containers: containersOf(spec.template, remembered),
      volumes: volumes.map(({ name }) => name),
      syncTimezone: remembered?.syncTimezone ?? false,
    },
    startedAt: status.startTime,
    endedAt: status.completionTime ?? (failed?.type === "Failed" ? failed.lastTransitionTime : undefined),
    outcome: failed ? "failed" : outcomeOf(object),
    failures: attempts.failures,
    lastExit: attempts.lastExit,
    lastState: attempts.lastState,
    reason: failed?.message,
    hasRecords: false,
  };
  const volumePath = (volume: string) => volumes.find(({ name }) => name === volume)?.path;
  const run = runOf(object, pods, job);
  const unwell = { restartCount: attempts.restarts, lastState: attempts.lastState };
  const message = jobMessage({ object, job, pods, run }, now);
  return {
    job,
    around: { volumePath, namespace: metadata.namespace, objectName: metadata.name, run, ...unwell, message },
  };
}

/** SuccessCriteriaMet comes earlier, while pods still end. */
function outcomeOf({ status }: KubeObject<"Job">): "complete" | undefined {
  return status.conditions.some(({ type, status }) => type === "Complete" && status === "True")
    ? "complete"
    : undefined;
}

/** A Job without `completions` is done when one pod succeeded. */
function runOf(object: KubeObject<"Job">, pods: readonly Pod[], job: Job): JobRunFacts {
  const { metadata, spec, status } = object;
  return {
    instances: pods.map(({ metadata }) => metadata.name),
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions ?? 1,
    conditions: jobConditions(object, job),
    active: status.active,
    succeeded: status.succeeded,
    // Gantry's own look as the API promises, however they are retried.
    template: isGantrys(metadata, labels.job) ? {} : templateOf(spec.template),
  };
}

function templateOf({ spec }: PodTemplate): JobRunFacts["template"] {
  const { restartPolicy, terminationGracePeriodSeconds, dnsPolicy, serviceAccountName } = spec;
  return {
    ...(restartPolicy !== undefined && { restartPolicy }),
    ...(terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds }),
    ...(dnsPolicy !== undefined && { dnsPolicy }),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
  };
}
