import type { Clock } from "./clock.ts";

/**
 * What the work brings, or what `late` gives when it takes longer. The work goes on: whoever needs it to end passes it a
 * signal. The timer doesn't keep the process alive.
 */
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  late: () => Late,
  clock: Pick<Clock, "after">,
): Promise<Result | Awaited<Late>> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.after(ms, () => resolve(undefined));
  try {
    return await Promise.race([work, promise.then(late)]);
  } finally {
    timer.cancel();
  }
}

/** What the work brings, or a rejection with the signal's reason as soon as it is aborted. */
export async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A rest in milliseconds that is given, such as `(ms) => sleep(ms)`, cut short without an error by the signal. */
export async function restUnlessAborted(rest: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await orAborted(rest, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/**
 * Does the work again and again, with a pause after it, until the signal is aborted. Rejects as the work does.
 */
export async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
  clock: Pick<Clock, "sleep">,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await clock.sleep(everyMs, signal).catch(() => undefined); // aborted
  }
}

export type Growth = {
  /** After the first failure. */
  readonly firstMs: number;
  readonly longestMs: number;
  /**
   * The part of it that is random, from 0 to 1, so that those who failed together don't try again together:
   * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
   */
  readonly jitter: number;
};

/** Milliseconds to wait after so many failures in a row: doubled each time, up to the longest. */
export function backOffMs(
  failures: number,
  { firstMs, longestMs, jitter }: Growth,
  random: () => number = Math.random,
): number {
  // Beyond 2^30 the product would stop being a whole number.
  const most = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return most * (1 - jitter) + most * jitter * random();
}

/** What became of each, in their order, with at most so many on their way at once; after an error no more begin. */
export async function fewAtOnce<T, R>(
  all: readonly T[],
  most: number,
  work: (each: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, each] of left) results[at] = await work(each);
  };
  try {
    await Promise.all(Array.from({ length: most }, worker));
  } finally {
    // After an error, those that are left don't begin.
    Array.from(left);
  }
  return results;
}

/**
 * For work that nobody waits for. A rejection that nobody handles ends the process, for everybody in it; so what the work
 * fails with goes to `onError`, usually a line in the log. Without one, or when that throws, it becomes a warning of the
 * process on standard error.
 */
export function unawaited(work: Promise<unknown>, onError: (error: unknown) => void = warn): void {
  work.catch(onError).catch(warn);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
