import type { Step } from "./ipc.ts";

/** Messages that Slack took from a replica that was killed before it had stored that: they are posted again. */
export type LostAnswers = {
  readonly onPosted: (replica: number) => void;
  readonly onStep: (replica: number, step: Step) => void;
  readonly onKill: (replica: number) => void;
  /** Since the last `reset`. */
  readonly count: () => number;
  readonly reset: () => void;
};

export function countLostAnswers(): LostAnswers {
  const unstored = new Map<number, number>();
  let lost = 0;
  return {
    onPosted: (replica) => void unstored.set(replica, (unstored.get(replica) ?? 0) + 1),
    onStep(replica, { edge, when, isEffective }) {
      if (when !== "after" || isEffective !== true || (edge !== "savePost" && edge !== "removePost")) return;
      unstored.set(replica, Math.max(0, (unstored.get(replica) ?? 0) - 1));
    },
    onKill: (replica) => void (lost += unstored.get(replica) ?? 0),
    count: () => lost,
    reset() {
      unstored.clear();
      lost = 0;
    },
  };
}
