import type { KubeObject } from "../cluster/kinds.ts";
import type { Region } from "../regions.ts";
import type { LoggedWorkload } from "./region-logs.ts";

type Pod = KubeObject<"Pod">;

/** A container of a pod that has or had a run. */
export type ContainerSource = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** How often it was restarted: each run has a log of its own, of which Kubernetes keeps the last two. */
  readonly run: number;
  readonly isRunning: boolean;
  /** Its last run has ended, and another one will start. */
  readonly isWaiting: boolean;
  /** When the run before began, or the last one if it is waiting: 2026-11-21T10:00:00Z. */
  readonly previousStartedAt: string | undefined;
};

/** The pods whose lines a page shows, as far as these exist: of one instance, or of all. */
export function shownPods(
  { cacheOf }: Pick<Region, "cacheOf">,
  workload: LoggedWorkload,
  instance: string | undefined,
): readonly Pod[] {
  return cacheOf(workload.namespace)
    .all("Pod")
    .filter(({ metadata: { name } }) => (instance === undefined ? workload.pods.includes(name) : name === instance));
}

/** The containers of a pod, init containers first. */
export function sourcesOf({ metadata: { name: pod, namespace }, status }: Pod): readonly ContainerSource[] {
  return [...status.initContainerStatuses, ...status.containerStatuses].flatMap(
    ({ name: container, restartCount: run, state, lastState }) => {
      const previous = lastState?.terminated;
      const isRunning = state?.running !== undefined;
      const isWaiting = !isRunning && state?.terminated === undefined;
      if (isWaiting && !previous) return [];
      return [{ namespace, pod, container, run, isRunning, isWaiting, previousStartedAt: previous?.startedAt }];
    },
  );
}
