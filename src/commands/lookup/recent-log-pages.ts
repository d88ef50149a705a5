import { hash } from "node:crypto";

export type LogPage = {
  /** Which log, and which day of it. */
  readonly log: string;
  /** The first record of the page, counted from the newest. */
  readonly from: number;
  /** Oldest first. */
  readonly lines: readonly string[];
};

/** The last page of each log that was shown, to notice when the next one overlaps it. */
export type RecentLogPages = {
  /**
   * How many lines at the newer end of this page look the same as those at the older end of the page that was shown
   * before it: positions are counted from the newest line, so lines that arrive between two pages shift them.
   */
  readonly overlap: (page: LogPage) => number;
};

const MOST_LOGS = 100;

/** Keeps hashes in memory only; losing them costs a remark, never a line. */
export function createRecentLogPages(): RecentLogPages {
  const last = new Map<string, { readonly end: number; readonly hashes: readonly string[] }>();
  return {
    overlap({ log, from, lines }) {
      const before = last.get(log);
      const hashes = lines.map((line) => hash("sha1", line));
      last.delete(log);
      last.set(log, { end: from + lines.length, hashes });
      const oldest = last.keys().next().value;
      if (last.size > MOST_LOGS && oldest !== undefined) last.delete(oldest);
      return before === undefined || before.end !== from ? 0 : commonLines(hashes, before.hashes);
    },
  };
}

/** The longest end of `older` that is a beginning of `newer`. */
function commonLines(older: readonly string[], newer: readonly string[]): number {
  for (let count = Math.min(older.length, newer.length); count > 0; count -= 1) {
    const start = older.length - count;
    if (older.every((line, at) => at < start || line === newer[at - start])) return count;
  }
  return 0;
}
