import type { Logger } from "pino";

/** A delivery that must not begin, with the token of its lease. */
export type Refused = { readonly id: string; readonly token: string };

/** Deliveries that must not begin: processed ones, and refused ones that the database may have stored anyway. */
export type Dropped = {
  readonly add: (delivery: Refused) => void;
  /** Deletes their rows. Keeps failures for the next call. Never rejects. */
  readonly flush: () => Promise<void>;
};

/** Limit for a long database outage, during which nothing new is stored either. Beyond it the oldest are discarded. */
const MOST = 20_000;

export function createDropped(store: { readonly drop: (delivery: Refused) => Promise<void> }, log: Logger): Dropped {
  const left = new Map<string, Refused>();
  const flushOnce = async (): Promise<void> => {
    for (const [id, delivery] of left) {
      try {
        await store.drop(delivery);
        left.delete(id);
      } catch (err) {
        log.warn({ err, left: left.size }, "couldn't delete refused deliveries yet");
        return;
      }
    }
  };
  return {
    add(delivery) {
      left.set(delivery.id, delivery);
      for (const oldest of left.keys()) {
        if (left.size <= MOST) break;
        left.delete(oldest);
      }
    },
    flush: flushOnce,
  };
}
