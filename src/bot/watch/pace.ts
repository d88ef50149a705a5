/** The default poll interval of Kubernetes' own tools. */
const EVERY_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;
/** Of the time, so that lists of thousands don't take it all. */
const SHARE = 0.05;
const LONGEST_MS = 60 * 60_000;

export type Pace = {
  /** Calls a day that watching may make with one account; undefined without a limit. */
  readonly callsPerDay: number | undefined;
  /** Lists that are watched with this account: each round costs one call for each. */
  readonly lists: number;
  /** How long the last list took. */
  readonly tookMs: number;
  /** Failed rounds in a row. */
  readonly failures: number;
};

/** The time from one round to the next, in milliseconds. Pure. */
export function roundEveryMs({ callsPerDay, lists, tookMs, failures }: Pace): number {
  const budgetMs = callsPerDay === undefined ? 0 : (DAY_MS * Math.max(1, lists)) / callsPerDay;
  const backOffMs = failures === 0 ? 0 : Math.min(EVERY_MS * 2 ** Math.min(failures - 1, 3), 60_000);
  return Math.round(Math.max(EVERY_MS, budgetMs, backOffMs, Math.min(tookMs / SHARE, LONGEST_MS)));
}

/** Whether the time between two polls is so long that a message has to mention the gap. Pure. */
export function isGap(sinceMs: number, everyMs: number): boolean {
  return sinceMs > Math.max(3 * everyMs, 2 * 60_000);
}
