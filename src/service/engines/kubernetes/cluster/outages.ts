import type { Clock } from "../../../../platform/clock.ts";

/** A time in which the API server didn't answer; without an end while it lasts. */
export type Outage = { readonly from: Date; readonly until: Date | undefined };

/** The kubelet sends again within this time what it couldn't: its status manager looks every ten seconds. */
const CATCH_UP_MS = 10_000;
/** Longer than a cluster's deadlines usually are. */
const KEPT_MS = 60 * 60_000;

export type Outages = {
  readonly all: () => readonly Outage[];
  /** The API server didn't answer a request that was sent then. */
  readonly noteAway: (sentAt: Date) => void;
  readonly noteAnswer: () => void;
};

export function makeOutages(clock: Pick<Clock, "now">): Outages {
  let past: readonly Outage[] = [];
  let openSince: Date | undefined;
  return {
    all: () => (openSince === undefined ? past : [...past, { from: openSince, until: undefined }]),
    noteAway(sentAt) {
      // What is still caught up with goes on: the outages don't overlap.
      const last = past.at(-1)?.until;
      openSince ??= last !== undefined && last > sentAt ? last : sentAt;
    },
    noteAnswer() {
      if (openSince === undefined) return;
      const now = clock.now().getTime();
      const until = new Date(now + CATCH_UP_MS);
      past = [...past.filter((each) => (each.until?.getTime() ?? now) > now - KEPT_MS), { from: openSince, until }];
      openSince = undefined;
    },
  };
}
