import { Refusal } from "../../engine.ts";

export type SerialQueue = {
  /**
   * Runs work of one key in the order of the calls; different keys run at the same time. Work that still waits when
   * `signal` aborts is never run: the call rejects with a `Refusal` 503.
   */
  readonly run: <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Resolves when all work accepted so far is done. */
  readonly idle: () => Promise<void>;
};

export function makeSerialQueue(): SerialQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, work, signal) {
      const before = tails.get(key) ?? Promise.resolve();
      const begin = async () => {
        if (signal?.aborted) {
          const sentence = "the request was cancelled before its turn. Nothing was changed.";
          throw new Refusal(503, sentence, { cause: signal.reason });
        }
        return await work();
      };
      const mine = before.then(begin, begin);
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
