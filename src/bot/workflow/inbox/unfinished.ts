import type { Interaction, Undelivered } from "./interaction.ts";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";

/** A delivery that this replica has to process. */
export type Unfinished = {
  readonly id: string;
  readonly interaction: Interaction;
  /** How often it was begun, or its messages were sent, in vain. */
  readonly tries: number;
  /** A replica that is gone may have begun it. */
  readonly isTakenOver?: boolean;
  /** It was taken over too late for a write to be begun. */
  readonly isLate?: boolean;
  /** It came from a backup, and isn't begun: it may have been carried out since. */
  readonly isRestored?: boolean;
  /** It was processed, and only these messages are missing. */
  readonly undelivered?: readonly Undelivered[];
};

export type Retries = {
  /** Nobody goes on with it before `afterMs` are over. */
  readonly keep: (delivery: Unfinished, afterMs: number) => void;
  /** Those that are due, each once. */
  readonly take: () => readonly Unfinished[];
};

/** Deliveries to go on with when the database, or Slack, is back. If this process dies first, other replicas take them. */
export function createRetries(clock: Pick<Clock, "now">): Retries {
  const kept = new Map<string, { readonly delivery: Unfinished; readonly dueMs: number }>();
  return {
    keep: (delivery, afterMs) => void kept.set(delivery.id, { delivery, dueMs: clock.now().getTime() + afterMs }),
    take() {
      const nowMs = clock.now().getTime();
      const due = [...kept.values()].filter(({ dueMs }) => dueMs <= nowMs);
      for (const { delivery } of due) kept.delete(delivery.id);
      return due.map(({ delivery }) => delivery);
    },
  };
}

/** Deliveries that nobody may begin any more: refused ones that the database may have stored, and processed ones. */
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
        log.warn({ err, left: left.size }, "couldn't mark deliveries as finished yet");
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
