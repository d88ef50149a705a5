export type Reconnects = {
  /**
   * Resolves when the caller may send its request: one caller per second, those that somebody waits for first. Rejects
   * with the signal's reason.
   */
  readonly turn: (signal: AbortSignal, isAwaited: () => boolean) => Promise<void>;
};

type Waiting = { readonly signal: AbortSignal; readonly isAwaited: () => boolean; readonly go: () => void };

/**
 * Spreads what all caches of a cluster send after failures, so that an API server that comes back, or a load balancer
 * that closed every watch at once, doesn't get all of it in one moment.
 */
export function makeReconnects({ everyMs = 1_000 }: { readonly everyMs?: number } = {}): Reconnects {
  let queue: readonly Waiting[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    clearTimeout(timer);
    queue = queue.filter(({ signal }) => !signal.aborted);
    const first = queue.find(({ isAwaited }) => isAwaited()) ?? queue[0];
    if (!first) return;
    const waitMs = last + everyMs - performance.now();
    if (waitMs > 0) {
      timer = setTimeout(next, Math.ceil(waitMs));
      return;
    }
    last = performance.now();
    queue = queue.filter((each) => each !== first);
    first.go();
    next();
  };
  return {
    async turn(signal, isAwaited) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = (): void => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      queue = [...queue, { signal, isAwaited, go: resolve }];
      next();
      await promise.finally(() => signal.removeEventListener("abort", abort));
    },
  };
}

/** Milliseconds until the next try: twice as long after each failure, and half of it random. */
export function backOffMs(failures: number, { firstMs, longestMs }: { firstMs: number; longestMs: number }): number {
  const most = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return most / 2 + (Math.random() * most) / 2;
}
