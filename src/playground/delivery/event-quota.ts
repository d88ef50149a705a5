import { delivery } from "../rules/limits.ts";

type Entry = { readonly atMs: number; readonly isOk: boolean; readonly times: number };

/** Counts event deliveries, including retries, against Slack's limits. */
export type EventLedger = {
  /** Records one delivery, or `times` deliveries. */
  readonly note: (atMs: number, isOk: boolean, times?: number) => void;
  /** Whether another delivery is allowed now. "failing" lasts until `enable`. */
  readonly verdict: (nowMs: number) => "deliver" | "failing" | "too many";
  /** The owner re-enables the subscription on the app's settings page. */
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
      // Both windows are one hour, so older entries count for neither.
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
