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

/** Work that must eventually succeed, such as saving a result while the disk is full. */
export type Trying = {
  /** Resolves when the work succeeds or is given up. Never rejects. */
  readonly over: Promise<void>;
  /** Tries now instead of waiting. Settles like the current or next attempt. */
  readonly attempt: () => Promise<void>;
};

/** What work that is tried again needs of an engine. */
type Retrying = {
  /** Aborted when the engine closes: one last attempt, then the work is given up. */
  readonly closing: AbortSignal;
  readonly clock: Pick<Clock, "after">;
  readonly onEvent: (message: string, data: object) => void;
  readonly inBackground: (work: Promise<unknown>) => void;
};

type Failing = {
  /** The event of the first of consecutive failures, with the rest of this: a full disk doesn't flood the log. */
  readonly failed?: string;
  readonly backOff?: BackOff;
  readonly service?: string;
  readonly job?: string;
};

const BACK_OFF: BackOff = { first: 250, max: 5_000 };

type Waiter = { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** Repeats the work with growing pauses until it succeeds, in the background. `work` must be idempotent. */
export function keepTrying(
  work: () => Promise<void>,
  { closing, clock, onEvent, inBackground }: Retrying,
  { failed, backOff = BACK_OFF, ...data }: Failing,
): Trying {
  const pause = makePause(clock);
  const waiters = new Set<Waiter>();
  let isOver = false;

  function settle(how: (waiter: Waiter) => void): void {
    for (const waiter of waiters) how(waiter);
    waiters.clear();
  }

  async function succeeds(failures: number): Promise<boolean> {
    try {
      await work();
      settle(({ resolve }) => resolve());
      return true;
    } catch (error) {
      if (failures === 0 && failed !== undefined) onEvent(failed, { error, ...data });
      settle(({ reject }) => reject(error));
      return false;
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const isLast = closing.aborted;
      if ((await succeeds(failures)) || isLast) break;
      if (!closing.aborted) await pause.take(delayAfter(failures + 1, backOff));
    }
    isOver = true;
    closing.removeEventListener("abort", pause.end);
  }

  closing.addEventListener("abort", pause.end);
  const over = run();
  inBackground(over);
  return {
    over,
    async attempt() {
      if (isOver) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiters.add({ resolve, reject });
      pause.end();
      await promise;
    },
  };
}
