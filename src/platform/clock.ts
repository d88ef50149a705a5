/** Something that runs later, unless it is cancelled. */
export type Timer = { readonly cancel: () => void };

/** Time, as it is handed in: a program has the machine's, and a test one that it moves. */
export type Clock = {
  /** The time of day. It can be set, also back. */
  readonly now: () => Date;
  /** Milliseconds since some moment, for durations. It never goes back. */
  readonly elapsedMs: () => number;
  /** Resolves after so many milliseconds, or rejects with the signal's reason. The machine's keeps the process alive. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Runs it once, after so many milliseconds. Doesn't keep the process alive. */
  readonly after: (ms: number, run: () => void) => Timer;
  /** Aborted after so many milliseconds, with a `TimeoutError`. */
  readonly limit: (ms: number) => AbortSignal;
};

/** A timer of Node that is set for longer runs at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

function timer(ms: number, run: () => void): NodeJS.Timeout {
  return setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
}

function cancelling(set: NodeJS.Timeout): Timer {
  return { cancel: () => clearTimeout(set) };
}

/** A clock from how it tells the time and sets a timer: the rest follows. */
export function clockFrom(base: Pick<Clock, "now" | "elapsedMs" | "after">): Clock {
  return {
    ...base,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = base.after(ms, resolve);
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        await promise;
      } finally {
        timer.cancel();
        signal?.removeEventListener("abort", abort);
      }
    },
    limit(ms) {
      const controller = new AbortController();
      base.after(ms, () => controller.abort(new DOMException("no answer in time", "TimeoutError")));
      return controller.signal;
    },
  };
}

const ofMachine = { now: () => new Date(), elapsedMs: () => performance.now() };

/** This machine's. */
export const machineClock: Clock = {
  ...clockFrom({ ...ofMachine, after: (ms, run) => cancelling(timer(ms, run)) }),
  after: (ms, run) => cancelling(timer(ms, run).unref()),
  limit: (ms) => AbortSignal.timeout(ms),
};

/**
 * The time since now, the longer of two: `elapsedMs` stops while the machine is suspended, and the time of day can be set
 * back.
 */
export function stopwatch({ now, elapsedMs }: Pick<Clock, "now" | "elapsedMs">): () => number {
  const beganMs = elapsedMs();
  const beganAt = now().getTime();
  return () => Math.max(elapsedMs() - beganMs, now().getTime() - beganAt);
}
