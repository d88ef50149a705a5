/** The playground's clock: message timestamps and expiry times come from it. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A message's ts, such as "1763712345.000100". Unique and increasing even while the clock is frozen. */
  readonly ts: () => string;
};

/** `lastTs` is the last ts that was given before a restart. */
export function createClock(now: () => number, lastTs = "0"): Clock {
  let last = Math.round(Number(lastTs) * 1_000_000);
  return {
    now,
    ts() {
      last = Math.max(last + 100, Math.trunc(now()) * 1000);
      const micros = String(last % 1_000_000).padStart(6, "0");
      return `${Math.floor(last / 1_000_000)}.${micros}`;
    },
  };
}

/** Runs a callback later, never in the current turn. Tests inject their own to control time. */
export type Later = (ms: number, run: () => void) => void;

type Timers = { readonly later: Later; readonly close: () => void };

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
