/** Calls that Slack asked us to hold back, with the time left. */
export type BackOff = {
  /** How long a call must still wait, in milliseconds; 0 when it may leave. */
  readonly remaining: (key: string) => number;
  readonly start: (key: string, ms: number) => void;
};

const MOST_KEYS = 1_000;

/** Keys are a method and its channel, view or person, so that one 429 holds back nothing else. */
export function createBackOff(nowMs: () => number): BackOff {
  const waits = new Map<string, { readonly since: number; readonly ms: number }>();
  return {
    remaining(key) {
      const wait = waits.get(key);
      if (wait === undefined) return 0;
      const elapsed = nowMs() - wait.since;
      // A clock that was set back ends the wait: Slack answers 429 again if it was too early.
      if (elapsed >= 0 && elapsed < wait.ms) return wait.ms - elapsed;
      waits.delete(key);
      return 0;
    },
    start(key, ms) {
      waits.delete(key);
      waits.set(key, { since: nowMs(), ms });
      const oldest = waits.keys().next().value;
      if (waits.size > MOST_KEYS && oldest !== undefined) waits.delete(oldest);
    },
  };
}
