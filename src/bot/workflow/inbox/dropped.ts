import type { Logger } from "pino";
import type { NewDelivery } from "../ports.ts";

/** A delivery that was refused, with the token of its lease if it was stored all the same. */
export type Refused = Pick<NewDelivery, "id" | "token">;

/** Deliveries that nobody may begin: the database may have stored them, though their people were told that it didn't. */
export type Dropped = {
  readonly add: (delivery: Refused) => void;
  /** Deletes them, so nobody begins them. Keeps failures for the next call. Never rejects. */
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
