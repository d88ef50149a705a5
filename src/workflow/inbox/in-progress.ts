export type InProgress = {
  /** Does the work unless this key is being worked on, or rests; then it does nothing. */
  readonly once: (key: string, work: () => Promise<void>) => Promise<void>;
  /** Nobody in this process begins it again before this is over. */
  readonly rest: (key: string, ms: number) => void;
  /** Keys with work in progress. */
  readonly keys: () => readonly string[];
};

export function createInProgress(nowMs: () => number): InProgress {
  const keys = new Set<string>();
  const resting = new Map<string, number>();
  return {
    async once(key, work) {
      if (keys.has(key) || (resting.get(key) ?? 0) > nowMs()) return;
      resting.delete(key);
      keys.add(key);
      try {
        await work();
      } finally {
        keys.delete(key);
      }
    },
    keys: () => [...keys],
    rest(key, ms) {
      const now = nowMs();
      for (const [each, untilMs] of resting) if (untilMs <= now) resting.delete(each);
      resting.set(key, now + ms);
    },
  };
}
