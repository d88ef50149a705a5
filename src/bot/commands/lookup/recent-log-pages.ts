import { hash } from "node:crypto";

export type LogPage = {
  /** The log and its day. */
  readonly log: string;
  /** The first record of the page, counted from the newest. */
  readonly from: number;
  /** Oldest first. */
  readonly lines: readonly string[];
};

/** Remembers the last shown page of each log, to notice when the next one overlaps it. */
export type RecentLogPages = {
  /**
   * The number of lines that this page repeats from the page shown before it. Positions count from the newest line, so
   * lines that arrive between two pages shift them.
   */
  readonly overlap: (page: LogPage) => number;
};

const MOST_LOGS = 100;

/** Keeps hashes in memory only; without them the hint about repeated lines is missing. */
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

/** The length of the longest end of `older` that begins `newer`. */
function commonLines(older: readonly string[], newer: readonly string[]): number {
  for (let count = Math.min(older.length, newer.length); count > 0; count -= 1) {
    const start = older.length - count;
    if (older.every((line, at) => at < start || line === newer[at - start])) return count;
  }
  return 0;
}
