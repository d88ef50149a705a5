import { orAborted } from "../../../../platform/waiting.ts";

export type Reconnects = {
  /**
   * Resolves when the caller may send its request, and the watch after a list: one caller per second, those that somebody
   * waits for first. Rejects with the signal's reason.
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
      const { promise, resolve } = Promise.withResolvers<void>();
      queue = [...queue, { signal, isAwaited, go: resolve }];
      next();
      await orAborted(promise, signal);
    },
  };
}
