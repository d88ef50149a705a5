import type { Clock, Timer } from "../../../../platform/clock.ts";
import { orAborted } from "../../../../platform/waiting.ts";

const EVERY_MS = 1_000;

type Waiting = { readonly signal: AbortSignal; readonly isAwaited: () => boolean; readonly go: () => void };

export type Reconnects = ReturnType<typeof makeReconnects>;

/**
 * Spreads what all caches of a cluster send after failures, so that an API server that comes back, or a load balancer
 * that closed every watch at once, doesn't get all of it in one moment.
 */
export function makeReconnects(clock: Pick<Clock, "elapsedMs" | "after">) {
  let queue: readonly Waiting[] = [];
  let last = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  const next = (): void => {
    timer?.cancel();
    queue = queue.filter(({ signal }) => !signal.aborted);
    const first = queue.find(({ isAwaited }) => isAwaited()) ?? queue[0];
    if (!first) return;
    const waitMs = last + EVERY_MS - clock.elapsedMs();
    if (waitMs > 0) {
      timer = clock.after(Math.ceil(waitMs), next);
      return;
    }
    last = clock.elapsedMs();
    queue = queue.filter((each) => each !== first);
    first.go();
    next();
  };
  return {
    /**
     * Resolves when the caller may send its request, and the watch after a list: one caller per second, those that somebody
     * waits for first. Rejects with the signal's reason.
     */
    async turn(signal: AbortSignal, isAwaited: () => boolean) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      queue = [...queue, { signal, isAwaited, go: resolve }];
      next();
      await orAborted(promise, signal);
    },
  };
}
