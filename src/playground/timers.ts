/** Runs a callback later, never in the current turn. Tests inject their own to control time. */
export type Later = (ms: number, run: () => void) => void;

export type Timers = { readonly later: Later; readonly close: () => void };

/** Timers of this process. They don't keep it alive, and none runs after `close`. */
export function createTimers(): Timers {
  const waiting = new Set<NodeJS.Timeout>();
  let isClosed = false;
  return {
    later(ms, run) {
      if (isClosed) return;
      const timer = setTimeout(() => {
        waiting.delete(timer);
        run();
      }, ms);
      timer.unref();
      waiting.add(timer);
    },
    close() {
      isClosed = true;
      for (const timer of waiting) clearTimeout(timer);
      waiting.clear();
    },
  };
}
