import type { Interaction, Undelivered } from "./interaction.ts";

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
export function createRetries(nowMs: () => number): Retries {
  const kept = new Map<string, { readonly delivery: Unfinished; readonly dueMs: number }>();
  return {
    keep: (delivery, afterMs) => void kept.set(delivery.id, { delivery, dueMs: nowMs() + afterMs }),
    take() {
      const due = [...kept.values()].filter(({ dueMs }) => dueMs <= nowMs());
      for (const { delivery } of due) kept.delete(delivery.id);
      return due.map(({ delivery }) => delivery);
    },
  };
}
