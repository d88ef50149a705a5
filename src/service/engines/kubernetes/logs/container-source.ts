import type { KubeObject } from "../cluster/kinds.ts";

/** How a container is doing, as far as its log needs it. */
export type ContainerState = {
  /** How often it was restarted: each run has a log of its own, of which Kubernetes keeps the last two. */
  readonly run: number;
  /** `waiting` after an end: the last run can be read until the next one starts. */
  readonly is: "waiting" | "running" | "ended";
};

/** A container of a pod whose log is collected. */
export type ContainerSource = {
  /** The workload's name in the log store. */
  readonly workload: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  readonly state: ContainerState;
  /** Its pod is being deleted: soon nothing can be read. */
  readonly isLeaving: boolean;
};

type Pod = KubeObject<"Pod">;
type Status = Pod["status"]["containerStatuses"][number];

/** The containers of a pod that have or had a run, init containers first. */
export function sourcesOf(workload: string, pod: Pod): ContainerSource[] {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const isLeaving = deletionTimestamp !== undefined;
  const statuses = [...pod.status.initContainerStatuses, ...pod.status.containerStatuses];
  return statuses.flatMap((status) => {
    const state = stateOf(status);
    return state ? [{ workload, namespace, pod: name, podUid: uid, container: status.name, state, isLeaving }] : [];
  });
}

/** Undefined while it hasn't run yet. */
function stateOf({ restartCount: run, state, lastState }: Status): ContainerState | undefined {
  if (state?.running) return { run, is: "running" };
  if (state?.terminated) return { run, is: "ended" };
  return lastState?.terminated ? { run, is: "waiting" } : undefined;
}
