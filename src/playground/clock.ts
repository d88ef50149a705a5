import type { Clock, Timer } from "../platform/clock.ts";

/** Slack's clock: everything in the playground happens by it. */
export type SlackClock = Clock & {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A message's ts, such as "1763712345.000100". Unique and increasing even while the clock stands still. */
  readonly ts: () => string;
  /** Cancels what would run later. Sleeps and limits still end. */
  readonly close: () => void;
};

/** `lastTs` is the last ts that was given before a restart. */
export function createSlackClock(clock: Clock, lastTs = "0"): SlackClock {
  let last = Math.round(Number(lastTs) * 1_000_000);
  const timers = new Set<Timer>();
  let isClosed = false;
  const nowMs = (): number => clock.now().getTime();
  return {
    ...clock,
    nowMs,
    ts() {
      last = Math.max(last + 100, nowMs() * 1000);
      const micros = String(last % 1_000_000).padStart(6, "0");
      return `${Math.floor(last / 1_000_000)}.${micros}`;
    },
    after(ms, run) {
      if (isClosed) return { cancel: () => undefined };
      const timer = clock.after(ms, () => {
        timers.delete(timer);
        run();
      });
      timers.add(timer);
      return {
        cancel() {
          timers.delete(timer);
          timer.cancel();
        },
      };
    },
    close() {
      isClosed = true;
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}
