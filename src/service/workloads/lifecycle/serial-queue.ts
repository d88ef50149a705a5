export type SerialQueue = {
  /** Runs what is given for one key one after the other, in the order of the calls; different keys do not wait. */
  readonly run: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing that was given so far runs any more. */
  readonly idle: () => Promise<void>;
};

export function makeSerialQueue(): SerialQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
    async idle() {
      await Promise.allSettled(tails.values());
    },
  };
}
