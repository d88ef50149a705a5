import type { LastState } from "../../../../api/schema.ts";
import type { Restarts } from "../../../workloads/lifecycle/exit.ts";
import type { Pod } from "../cluster/kinds.ts";
import {
  type ContainerStatus,
  type End,
  endClause,
  lastEnd,
  type Terminated,
  isEndedSidecar,
  isSidecar,
  isUnseen,
  subjectOf,
} from "./pod-health.ts";

type Container = ContainerStatus & { readonly pod: Pod };

/** How often the containers of these pods were restarted. */
export function restartCount(pods: readonly Pod[]): number {
  return presentContainers(pods).reduce((sum, container) => sum + container.restartCount, 0);
}

/** The part of them that says nothing about attempts: a sidecar is restarted also where the pod isn't. */
export function sidecarRestarts(pods: readonly Pod[]): number {
  const sidecars = presentContainers(pods).filter((container) => isSidecar(container.pod, container));
  return sidecars.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** The same without a restart that was due to its node or its container runtime, as far as that is seen. */
export function crashCount(pods: readonly Pod[]): number {
  return presentContainers(pods).reduce((sum, container) => sum + crashes(container), 0);
}

function crashes(container: ContainerStatus): number {
  const end = lastEnd(container);
  return Math.max(0, container.restartCount - (end && isUnseen(end) ? 1 : 0));
}

/** How a container of these pods last ended, if somebody saw it. */
export function latestEnd(pods: readonly Pod[]): Terminated | undefined {
  const end = latestOf(presentContainers(pods))?.end;
  return end && isUnseen(end) ? undefined : end;
}

/** How a container of these pods last failed, even if a later attempt succeeded. */
export function latestFailure(pods: readonly Pod[]): Terminated | undefined {
  const ends = presentContainers(pods).flatMap(({ state, lastState }) => [lastState?.terminated, state?.terminated]);
  return ends
    .filter((end) => end !== undefined && end.exitCode !== 0)
    .toSorted((left, right) => finishedAt(left) - finishedAt(right))
    .at(-1);
}

/** An end in the API's words, which are those of Kubernetes. */
export function lastStateOf({ reason, exitCode, finishedAt }: End): LastState {
  return {
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    exit_code: exitCode,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
  };
}

const WINDOW_MS = 10 * 60_000;

/**
 * The restarts of the last ten minutes. Kubernetes tells only how many there were in all and when the last was; undefined
 * where that leaves open how many were in the window.
 */
export function recentRestarts(pods: readonly Pod[], now: Date): Restarts | undefined {
  const from = now.getTime() - WINDOW_MS;
  const crashed = presentContainers(pods).filter((each) => crashes(each) > 0 && !(finishedAt(lastEnd(each)) <= from));
  if (crashed.length === 0) return { count: 0 };
  const isKnown = crashed.every(({ restartCount, pod }) => {
    return restartCount === 1 || Date.parse(pod.metadata.creationTimestamp) > from;
  });
  const last = latestOf(crashed);
  if (!isKnown || last?.end.finishedAt === undefined || isUnseen(last.end)) return undefined;
  const count = crashed.reduce((sum, container) => sum + crashes(container), 0);
  const at = last.end.finishedAt;
  return {
    count,
    ...(count === 1 && { first_at: at }),
    last_at: at,
    last_reason: `${subjectOf(last.container.pod, last.container)} ${endClause(last.end)}`,
  };
}

/** An init container that ended well has done its work; a sidecar is one that runs on. */
export function presentContainers(pods: readonly Pod[]): Container[] {
  return pods.flatMap((pod) => {
    const { containerStatuses, initContainerStatuses } = pod.status;
    const unfinished = initContainerStatuses
      .filter((status) => isSidecar(pod, status) || lastEnd(status)?.exitCode !== 0)
      .map((status) => (isEndedSidecar(pod, status) ? { ...status, state: undefined } : status));
    return [...unfinished, ...containerStatuses].map((status) => ({ ...status, pod }));
  });
}

function latestOf(containers: readonly Container[]): { container: Container; end: Terminated } | undefined {
  const ended = containers.flatMap((container) => {
    const end = lastEnd(container);
    return end ? [{ container, end }] : [];
  });
  return ended.toSorted((left, right) => finishedAt(left.end) - finishedAt(right.end)).at(-1);
}

/** NaN if it isn't told. */
function finishedAt(end: Terminated | undefined): number {
  return Date.parse(end?.finishedAt ?? "");
}
