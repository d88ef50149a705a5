import type { Logger } from "pino";
import type { Store } from "../store/store.ts";

/** Deliveries that were told not to be done, and of which nobody knows whether the database has stored them. */
export type Dropped = {
  readonly add: (id: string) => void;
  /** Makes sure that nobody begins them; those that the database does not take now are tried again. Never rejects. */
  readonly flush: () => Promise<void>;
};

/** While the database is away nothing new is stored either; beyond this the oldest are left to luck. */
const MOST = 20_000;

export function createDropped(store: Pick<Store, "drop">, log: Logger): Dropped {
  const left = new Set<string>();
  const flushOnce = async (): Promise<void> => {
    for (const id of left) {
      try {
        await store.drop(id);
        left.delete(id);
      } catch (err) {
        log.warn({ err, left: left.size }, "a delivery that was refused could not be dropped yet");
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
