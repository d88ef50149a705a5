export type Memo<Value> = {
  /** What was read no longer ago than `maxAgeMs`, else what is read now; readers of one key share one reading. */
  readonly get: (key: string, maxAgeMs: number) => Promise<Value>;
  /** What was read last, for who has nothing better. */
  readonly stale: (key: string, maxAgeMs: number) => Value | undefined;
};

const MOST = 5_000;

/** Remembers what is slow to read. A failed reading is not remembered. */
export function createMemo<Value>(read: (key: string) => Promise<Value>, nowMs: () => number): Memo<Value> {
  const kept = new Map<string, { readonly value: Value; readonly at: number }>();
  const reading = new Map<string, Promise<Value>>();
  const stale = (key: string, maxAgeMs: number): Value | undefined => {
    const known = kept.get(key);
    return known !== undefined && nowMs() - known.at < maxAgeMs ? known.value : undefined;
  };
  const readNow = async (key: string): Promise<Value> => {
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
    stale,
    async get(key, maxAgeMs) {
      const known = stale(key, maxAgeMs);
      if (known !== undefined) return known;
      const inProgress = reading.get(key) ?? readNow(key);
      reading.set(key, inProgress);
      return inProgress;
    },
  };
}
