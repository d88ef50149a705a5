import { z } from "zod";
import type { KubeObject } from "../../cluster/kinds.ts";
import { annotations } from "../../names.ts";
import { type ContainerStatus, lastEnd, type Terminated } from "../ended-container.ts";
import { presentContainers } from "../restarts.ts";

type Pod = KubeObject<"Pod">;

/**
 * How a container of a job last failed, as it is written on the Job: Kubernetes deletes the pod of a job that used up its
 * retries, and everything that only the pod knew.
 */
const JobEnd = z.object({
  reason: z.string().max(300).optional(),
  /** Only where the reason alone says too little. */
  message: z.string().optional(),
  exitCode: z.number(),
  finishedAt: z.iso.datetime({ offset: true }).optional(),
  /** How often the containers of the job had been restarted by then, and how many of their runs had failed. */
  restarts: z.int().min(0),
  attempts: z.int().min(0),
});

export type JobEnd = z.output<typeof JobEnd>;

export function writeJobEnd(end: JobEnd): string {
  return JSON.stringify(end);
}

/** Undefined where nothing was written, or somebody damaged it: then the pods alone count. */
export function readJobEnd(of: Readonly<Record<string, string>>): JobEnd | undefined {
  const text = of[annotations.lastEnd];
  if (text === undefined) return undefined;
  try {
    return JobEnd.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** How a container of these pods last failed; undefined if none did. For pods whose containers are restarted. */
export function jobEndOf(pods: readonly Pod[]): JobEnd | undefined {
  const containers = presentContainers(pods);
  const failures = containers.flatMap((container) => failuresOf(container));
  const last = failures.toSorted((left, right) => timeOf(left) - timeOf(right)).at(-1);
  if (!last) return undefined;
  const { reason, message, exitCode, finishedAt } = last;
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
  const attempts = restarts + containers.filter(hasJustFailed).length;
  // The message of a program that ran is its own: nobody reads it here.
  return { reason, ...(reason !== "Error" && { message }), exitCode, finishedAt, restarts, attempts };
}

type Container = ContainerStatus & { readonly pod: Pod };

/** A container that ends while its pod is being deleted didn't fail. */
function failuresOf({ state, lastState, pod }: Container): Terminated[] {
  const isDeleted = pod.metadata.deletionTimestamp !== undefined;
  const ends = [lastState?.terminated, isDeleted ? undefined : state?.terminated];
  return ends.filter((end) => end !== undefined).filter(({ exitCode }) => exitCode !== 0);
}

/** Its last run failed, and the next one hasn't begun. */
function hasJustFailed(container: Container): boolean {
  if (!container.state || container.state.running) return false;
  const end = container.pod.metadata.deletionTimestamp === undefined ? lastEnd(container) : undefined;
  return end !== undefined && end.exitCode !== 0;
}

/** The later of the two. */
export function laterEnd(one: JobEnd | undefined, other: JobEnd | undefined): JobEnd | undefined {
  if (!one || !other) return one ?? other;
  return isLater(other, one) ? other : one;
}

/** Times are whole seconds, in which a container can fail more than once. */
export function isLater(one: JobEnd, than: JobEnd): boolean {
  const [left, right] = [timeOf(one), timeOf(than)];
  return left > right || (!(left < right) && one.attempts > than.attempts);
}

function timeOf({ finishedAt }: Pick<JobEnd, "finishedAt">): number {
  return Date.parse(finishedAt ?? "");
}
