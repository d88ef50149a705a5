import type { Interaction } from "./interaction.ts";
import type { Undelivered } from "./reply.ts";

/** A delivery of this process that is not over yet. */
export type Interrupted = {
  readonly id: string;
  readonly interaction: Interaction;
  /** How often it was begun, or its words were said, in vain. */
  readonly tries: number;
  /** It comes from a replica that is gone, and too late for a write to be begun. */
  readonly isLate?: boolean;
  /** It was worked on, and these words reached nobody: they alone are left. */
  readonly undelivered?: readonly Undelivered[];
};

export type Unfinished = {
  /** Remembers it; nobody goes on with it before `afterMs` are over. */
  readonly keep: (interrupted: Interrupted, afterMs: number) => void;
  /** Those whose time has come, each once. */
  readonly take: () => readonly Interrupted[];
};

/** Deliveries to go on with when the database, or Slack, is back; if the process dies first, others take them. */
export function createUnfinished(nowMs: () => number): Unfinished {
  const kept = new Map<string, { readonly interrupted: Interrupted; readonly dueMs: number }>();
  return {
    keep: (interrupted, afterMs) => void kept.set(interrupted.id, { interrupted, dueMs: nowMs() + afterMs }),
    take() {
      const due = [...kept.values()].filter(({ dueMs }) => dueMs <= nowMs());
      for (const { interrupted } of due) kept.delete(interrupted.id);
      return due.map(({ interrupted }) => interrupted);
    },
  };
}
