import { delivery } from "../rules/limits.ts";

type Entry = { readonly atMs: number; readonly isOk: boolean; readonly times: number };

/** What the workspace counts of its event deliveries, retries among them, to know when to stop. */
export type EventLedger = {
  /** Notes deliveries, or as many as `times` says. */
  readonly note: (atMs: number, isOk: boolean, times?: number) => void;
  /** Whether one more may go out now. "failing" stays so until `enable`. */
  readonly verdict: (nowMs: number) => "deliver" | "failing" | "too many";
  /** What the app's owner does on its settings page after the subscription was ended. */
  readonly enable: () => void;
};

function sum(entries: readonly Entry[]): number {
  return entries.reduce((total, entry) => total + entry.times, 0);
}

export function createEventLedger(): EventLedger {
  const { failures, rate } = delivery;
  let entries: Entry[] = [];
  let isDisabled = false;
  return {
    note: (atMs, isOk, times = 1) => void entries.push({ atMs, isOk, times }),
    verdict(nowMs) {
      // Both windows are one hour: what is older counts for neither.
      entries = entries.filter((entry) => nowMs - entry.atMs < failures.windowMs);
      const all = sum(entries);
      const failed = sum(entries.filter((entry) => !entry.isOk));
      if (all >= failures.fewest && failed / all > failures.share) isDisabled = true;
      if (isDisabled) return "failing";
      return all >= rate.max ? "too many" : "deliver";
    },
    enable() {
      isDisabled = false;
      entries = [];
    },
  };
}
