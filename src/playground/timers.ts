/** Runs something later, never before the current turn ends. A test gives its own and lets time pass as it likes. */
export type Later = (ms: number, run: () => void) => void;

export type Timers = { readonly later: Later; readonly close: () => void };

/** Timers of this process. They do not keep it alive, and after `close` none runs. */
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
