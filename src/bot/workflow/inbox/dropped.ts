import type { Logger } from "pino";

/** Refused deliveries that the database may or may not have stored. */
export type Dropped = {
  readonly add: (id: string) => void;
  /** Marks them as finished, so nobody begins them. Keeps failures for the next call. Never rejects. */
  readonly flush: () => Promise<void>;
};

/** Limit for a long database outage, during which nothing new is stored either. Beyond it the oldest are discarded. */
const MOST = 20_000;

export function createDropped(store: { readonly drop: (deliveryId: string) => Promise<void> }, log: Logger): Dropped {
  const left = new Set<string>();
  const flushOnce = async (): Promise<void> => {
    for (const id of left) {
      try {
        await store.drop(id);
        left.delete(id);
      } catch (err) {
        log.warn({ err, left: left.size }, "couldn't drop a refused delivery yet");
        return;
      }
    }
  };
  return {
    add(id) {
      left.add(id);
      for (const oldest of left) {
        if (left.size <= MOST) break;
        left.delete(oldest);
      }
    },
    flush: flushOnce,
  };
}
