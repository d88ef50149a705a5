import type { Clock } from "../../../platform/clock.ts";
import { backOffMs } from "../../../platform/waiting.ts";

/** The pause before a crashed unit is started again, in milliseconds. */
export type BackOff = { readonly first: number; readonly max: number };

/** How many times a job is retried, like Kubernetes' `backoffLimit`.
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy */
export const JOB_RETRIES = 6;

/** Milliseconds to wait after `failures` failures in a row: doubled each time, up to the maximum. */
export function delayAfter(failures: number, { first, max }: BackOff): number {
  return backOffMs(failures, { firstMs: first, longestMs: max, jitter: 0 });
}

/** A duration for people. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

/** A pause that can be cut short. */
export type Pause = { readonly take: (ms: number) => Promise<void>; readonly end: () => void };

export function makePause(clock: Pick<Clock, "after">): Pause {
  let wake: (() => void) | undefined;
  return {
    async take(ms) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(ms, resolve);
        wake = () => {
          timer.cancel();
          resolve();
        };
      });
      wake = undefined;
    },
    end: () => wake?.(),
  };
}
