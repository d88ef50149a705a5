import { setTimeout as sleep } from "node:timers/promises";
import { KubeError, KubeUnreachable } from "../cluster/kube-api.ts";
import { type BackOff, delayAfter } from "../../../workloads/lifecycle/back-off.ts";

/** Lets all readers of a cluster open logs at a bounded rate, so that no failure becomes a storm. */
export type Opening = {
  /** Resolves when one more log may be opened. Rejects with the reason of an aborted signal. */
  readonly take: (signal: AbortSignal) => Promise<void>;
  readonly succeeded: () => void;
  /** After an error of the whole cluster everybody waits, not only the reader that saw it. */
  readonly failed: (error: unknown) => void;
};

export type OpeningOptions = {
  readonly perSecond: number;
  readonly backOffMs: BackOff;
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number;
};

export function makeOpening({ perSecond, backOffMs, elapsedMs }: OpeningOptions): Opening {
  const every = 1_000 / perSecond;
  let next = 0;
  let failures = 0;
  let pausedUntil = 0;
  return {
    async take(signal) {
      for (;;) {
        const before = pausedUntil;
        const at = Math.max(elapsedMs(), next);
        next = at + every;
        const wait = at - elapsedMs();
        if (wait > 0) await sleep(wait, undefined, { signal });
        // After a failure meanwhile, everybody gets a new time behind the pause, one after the other.
        if (pausedUntil <= before) return;
      }
    },
    succeeded() {
      failures = 0;
      pausedUntil = 0;
    },
    failed(error) {
      if (!isOfCluster(error) || elapsedMs() < pausedUntil) return;
      failures += 1;
      const wanted = error instanceof KubeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      pausedUntil = elapsedMs() + Math.max(wanted, delayAfter(failures, backOffMs));
      next = Math.max(next, pausedUntil);
    },
  };
}

function isOfCluster(error: unknown): boolean {
  return error instanceof KubeUnreachable || (error instanceof KubeError && error.status === 429);
}
