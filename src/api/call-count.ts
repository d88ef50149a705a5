export type CallsToday = {
  /** HTTP calls that were sent, retries included. */
  readonly count: number;
  /** The start of the UTC day, or of this process if that was later. */
  readonly since: Date;
};

export type CallCount = {
  /** Counts one call. The returned function takes it back, for a call that was never sent. */
  add(username: string): () => void;
  today(username: string): CallsToday;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Counts calls per user and UTC day, in memory: some services limit calls per day. */
export function createCallCount(now: () => number): CallCount {
  const startedAt = now();
  let day = Math.floor(startedAt / DAY_MS);
  let counts = new Map<string, number>();
  const current = (): Map<string, number> => {
    const today = Math.floor(now() / DAY_MS);
    if (today !== day) {
      day = today;
      counts = new Map();
    }
    return counts;
  };
  return {
    add(username) {
      const day = current();
      day.set(username, (day.get(username) ?? 0) + 1);
      return () => void day.set(username, (day.get(username) ?? 1) - 1);
    },
    today: (username) => ({
      count: current().get(username) ?? 0,
      since: new Date(Math.max(startedAt, day * DAY_MS)),
    }),
  };
}
