export type Memo<Value> = {
  /** A value read less than `maxAgeMs` ago, else a new one. Concurrent reads of one key share one call. */
  readonly get: (key: string, maxAgeMs: number) => Promise<Value>;
  /** The last value, if it was read less than `maxAgeMs` ago. */
  readonly known: (key: string, maxAgeMs: number) => Value | undefined;
  readonly isReading: (key: string) => boolean;
};

const MOST = 5_000;

/** Caches a slow read. Failures are not cached. */
export function createMemo<Value>(read: (key: string) => Promise<Value>, nowMs: () => number): Memo<Value> {
  const kept = new Map<string, { readonly value: Value; readonly at: number }>();
  const reading = new Map<string, Promise<Value>>();
  const known = (key: string, maxAgeMs: number): Value | undefined => {
    const last = kept.get(key);
    return last !== undefined && nowMs() - last.at < maxAgeMs ? last.value : undefined;
  };
  const readNow = async (key: string): Promise<Value> => {
    // The age counts from before the call: Slack may have read its data at once and answered late.
    const at = nowMs();
    try {
      const value = await read(key);
      kept.delete(key);
      kept.set(key, { value, at });
      const oldest = kept.keys().next().value;
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
      return value;
    } finally {
      reading.delete(key);
    }
  };
  return {
    known,
    isReading: (key) => reading.has(key),
    async get(key, maxAgeMs) {
      const last = known(key, maxAgeMs);
      if (last !== undefined) return last;
      const inProgress = reading.get(key) ?? readNow(key);
      reading.set(key, inProgress);
      return inProgress;
    },
  };
}
