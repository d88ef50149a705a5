import type { Pod } from "../cluster/kinds.ts";
import { exitClause } from "../../../workloads/lifecycle/exit.ts";
import { ageMs, type Evidence, failedStart, isBeingMade, makingTrouble, ON_ITS_WAY } from "./evidence.ts";
import type { Exit } from "../../../workloads/runtime.ts";

export type PodHealth = {
  /**
   * `waiting`: not ready yet, or no longer, and no cause is known that needs somebody. `ending`: it was deleted. `over`:
   * it doesn't run again, for example because it was evicted; its controller replaces it.
   */
  readonly state: "ready" | "waiting" | "failing" | "ending" | "over";
  /** Why it isn't ready, as a clause. */
  readonly reason?: string | undefined;
  /** Since when, if Kubernetes tells. */
  readonly since?: string | undefined;
  /** It waits for something beside the workload, such as a registry that doesn't answer: no evidence against it. */
  readonly isOutside?: boolean | undefined;
};

/** The kubelet forgets failures after a run of this length: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy */
const LONG_RUN_MS = 10 * 60_000;
/** A container that crashed again and again has recovered after this long. */
const RECOVERED_MS = 60_000;
/** An autoscaler may need minutes to bring a new node. */
const SCHEDULED_WITHIN_MS = 5 * 60_000;
/** A program may take this long to become ready before that is worth a word. */
export const READY_WITHIN_MS = 60_000;

/** How an instance is. */
export function podHealth(pod: Pod, evidence: Evidence): PodHealth {
  const { metadata, status } = pod;
  if (status.phase === "Succeeded" || status.phase === "Failed") {
    if (status.reason === undefined) return { state: "over" };
    // https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/
    const reason = kubernetesReason(status.reason, status.message, metadata.name);
    return { state: "over", reason, since: status.startTime };
  }
  if (metadata.deletionTimestamp !== undefined) return { state: "ending" };
  const held = containerHealth(pod, evidence);
  // Its node or an eviction ends it: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
  if (held?.state === "failing" && conditionOf(pod, "DisruptionTarget")?.status === "True") return { state: "ending" };
  if (held) return held;
  const ready = conditionOf(pod, "Ready");
  if (ready?.status === "True") return { state: "ready", since: ready.lastTransitionTime };
  return unscheduled(pod, evidence) ?? unmade(pod, evidence) ?? unready(pod, evidence);
}

/** Of the container that fails, or of one that can't start yet. */
function containerHealth(pod: Pod, evidence: Evidence): PodHealth | undefined {
  const { initContainerStatuses, containerStatuses } = pod.status;
  const held = [...initContainerStatuses, ...containerStatuses].flatMap((status) => {
    return isEndedSidecar(pod, status) ? [] : (heldBack(pod, status, evidence) ?? []);
  });
  return held.find(({ state }) => state === "failing") ?? held[0];
}

type Named = Pick<ContainerStatus, "name">;

/** https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ */
export function isSidecar({ spec }: Pod, { name }: Named): boolean {
  return spec.initContainers.some((each) => each.name === name && each.restartPolicy === "Always");
}

/** Kubernetes ends sidecars when the work of their pod is done: how they end then says nothing. */
export function isEndedSidecar(pod: Pod, status: ContainerStatus): boolean {
  if (!status.state?.terminated || !isSidecar(pod, status)) return false;
  const { containerStatuses } = pod.status;
  return containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated !== undefined);
}

/** The pod alone where it has one container. */
export function subjectOf(pod: Pod, { name }: Named): string {
  const { metadata, spec } = pod;
  if (isSidecar(pod, { name })) return `sidecar ${name} of ${metadata.name}`;
  const isInit = spec.containers.every((container) => container.name !== name);
  if (isInit) return `init container ${name} of ${metadata.name}`;
  return spec.containers.length > 1 ? `container ${name} of ${metadata.name}` : metadata.name;
}

/** In a crash loop, readiness comes and goes, so nothing tells since when. */
function heldBack(pod: Pod, status: ContainerStatus, evidence: Evidence): PodHealth | undefined {
  const { reason = "", message } = status.state?.waiting ?? {};
  const end = lastEnd(status);
  const subject = subjectOf(pod, status);
  if (reason === "CrashLoopBackOff" && end) {
    if (!isUnseen(end)) return { state: "failing", reason: `${subject} ${endClause(end)}` };
    return { state: "waiting", reason: `${subject} ended with its node or container runtime`, isOutside: true };
  }
  if (reason !== "" && !ON_ITS_WAY.has(reason)) {
    const since = conditionOf(pod, "Ready")?.lastTransitionTime;
    const start = failedStart(pod, { name: status.name, reason, message, since }, evidence);
    const why = start.isOutside ? `waiting for ${start.doesNotAnswer}: ${shortened(start.cause)}` : start.cause;
    const isHeld = start.isOutside || start.isEarly;
    return {
      state: isHeld ? "waiting" : "failing",
      reason: kubernetesReason(reason, why, subject),
      since,
      isOutside: start.isOutside || start.isUnknown,
    };
  }
  return end && isLooping(status, end, evidence)
    ? { state: "failing", reason: `${subject} ${endClause(end)}` }
    : undefined;
}

/**
 * Between two back-offs, the container of a crash loop is terminated or runs for a moment. It loops if it ended twice
 * after a short run, and hasn't run for long since. An init container that is done has ended as it should.
 */
function isLooping({ state, ready, restartCount }: ContainerStatus, end: Terminated, { now }: Evidence): boolean {
  if (isUnseen(end)) return false;
  const run = Date.parse(end.finishedAt ?? "") - Date.parse(end.startedAt ?? "");
  if (!(run < LONG_RUN_MS)) return false;
  if (state?.terminated) return restartCount >= 1 && !(ready && end.exitCode === 0);
  return restartCount >= 2 && now.getTime() - Date.parse(state?.running?.startedAt ?? "") < RECOVERED_MS;
}

function unscheduled(pod: Pod, evidence: Evidence): PodHealth | undefined {
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return undefined;
  const since = scheduled.lastTransitionTime;
  const reason = kubernetesReason(scheduled.reason, scheduled.message, pod.metadata.name);
  const isLong = ageMs(since, evidence) > SCHEDULED_WITHIN_MS;
  return { state: isLong ? "failing" : "waiting", reason, since };
}

/** Kubernetes says only in events why its volumes or its network don't get ready. */
function unmade(pod: Pod, evidence: Evidence): PodHealth | undefined {
  const event = isBeingMade(pod) ? makingTrouble(pod, evidence) : undefined;
  if (!event) return undefined;
  const since = conditionOf(pod, "Ready")?.lastTransitionTime;
  return { state: "waiting", reason: kubernetesReason(event.reason, event.message, pod.metadata.name), since };
}

function unready(pod: Pod, evidence: Evidence): PodHealth {
  const { lastTransitionTime: since, message } = conditionOf(pod, "Ready") ?? {};
  const isLong = ageMs(since, evidence) > READY_WITHIN_MS;
  const lost = lostNode(pod);
  const why = lost ?? message;
  const reason = `${pod.metadata.name} isn't ready${why === undefined || why === "" ? "" : `: ${shortened(why)}`}`;
  return { state: "waiting", since, ...(isLong && { reason }), isOutside: lost !== undefined };
}

/**
 * Why a pod isn't ready whose containers all are: somebody outside of it says so. Kubernetes itself does when a node
 * stops reporting. https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-status
 */
function lostNode(pod: Pod): string | undefined {
  if (conditionOf(pod, "ContainersReady")?.status !== "True") return undefined;
  const { nodeName, readinessGates } = pod.spec;
  const unmet = readinessGates.find(({ conditionType }) => conditionOf(pod, conditionType)?.status !== "True");
  if (unmet) return undefined; // its message names the gate
  return `its containers were when its node${nodeName === undefined ? "" : ` ${nodeName}`} stopped reporting`;
}

/** Kubernetes can't remove it because nothing on its node answers; until it is gone, nobody knows whether it runs. */
export function isStranded({ metadata: { deletionTimestamp } }: Pod, evidence: Evidence): boolean {
  // The time at which its grace period is over.
  return ageMs(deletionTimestamp, evidence) > READY_WITHIN_MS;
}

/** Kubernetes' own word first, which narrow columns show and which people search for. */
function kubernetesReason(reason: string, message: string | undefined, subject: string): string {
  return `${message === undefined || message === "" ? reason : `${reason}: ${shortened(message)}`} (${subject})`;
}

/** Whether it was ready once: its readiness changed after its start. */
export function wasReady(pod: Pod): boolean {
  const { status, lastTransitionTime } = conditionOf(pod, "Ready") ?? {};
  if (status === "True") return true;
  return Date.parse(lastTransitionTime ?? "") > Date.parse(pod.status.startTime ?? "") + 1_000;
}

type Conditioned = { readonly status: Pick<Pod["status"], "conditions"> };

/** The condition of a type; undefined where nobody has said it. */
export function conditionOf({ status }: Conditioned, type: string) {
  return status.conditions.find((condition) => condition.type === type);
}

export type ContainerStatus = Pod["status"]["containerStatuses"][number];
export type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;
/** How a container ended, as far as it is told to people. */
export type End = Pick<Terminated, "exitCode"> & Partial<Pick<Terminated, "reason" | "message" | "finishedAt">>;

/** Reasons of a container that never ran: its program or working directory doesn't exist, for example. */
const NOT_STARTED: ReadonlySet<string> = new Set(["StartError", "ContainerCannotRun", "RunContainerError"]);

/** Words of containerd and of the kubelet for a container that was gone when they came back, for example with its node. */
const UNSEEN: ReadonlySet<string> = new Set(["Unknown", "ContainerStatusUnknown"]);

/** Nobody saw how it ended, so that says nothing about its program. */
export function isUnseen({ reason = "" }: End): boolean {
  return UNSEEN.has(reason);
}

export function exitOf({ exitCode, reason = "", message = reason }: End): Exit {
  if (NOT_STARTED.has(reason)) return { code: null, startError: shortened(message) };
  return { code: exitCode, ...(reason === "OOMKilled" && { isOutOfMemory: true }) };
}

/** How it ended, as a clause: "exited with code 137 (out of memory)". */
export function endClause(terminated: Terminated): string {
  return exitClause(exitOf(terminated));
}

/** How it last ended: also of one that waits for its restart, or runs again. */
export function lastEnd({ state, lastState }: ContainerStatus): Terminated | undefined {
  return state?.terminated ?? lastState?.terminated;
}

const MOST_CHARACTERS = 600;
/** Layers that pass an error on, before what it says. */
const LAYERS = /^.*(?:unable to start container process: |rpc error: code = \w+ desc = )/u;
/** Containerd names an image up to three times before it says what is wrong with it. */
const PULL = /failed to pull and unpack image "([^"]*)": (?:failed to resolve reference "\1": )?(?:\1: )?/u;

/** A message of Kubernetes on one line, without its layers. Some are pages long. */
export function shortened(message: string): string {
  const line = message.replaceAll(/\s+/gu, " ").trim().replace(LAYERS, "").replace(PULL, "$1: ");
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}
