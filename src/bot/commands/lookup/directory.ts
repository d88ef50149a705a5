import { hash } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import type { WorkloadRef } from "../../changes/change.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";
import type { WorkloadStatus } from "../../../api/workload-status.ts";

/** A workload of a list, with its status in words. */
export type Entry = {
  readonly name: string;
  readonly status: string;
  /** How it is; older callers only know the words. */
  readonly health?: WorkloadStatus;
  /** "2/3": ready instances of those it should have. "3" when the API doesn't say how many are ready. */
  readonly size?: string | undefined;
};

/** A list of one kind in one region, and when it was read, in milliseconds. */
export type RecentList = { readonly entries: readonly Entry[]; readonly at: number };

/** A cache of the last lists, so that typos, pickers and bare names don't cost a list call. */
export type Directory = {
  /** Names of one kind in one region as last listed; undefined when that is more than 5 minutes ago. */
  readonly names: (account: string, kind: WorkloadRef["kind"], region: string) => readonly string[] | undefined;
  /** The last list with its age, at most 5 minutes; the caller decides how old it may be. */
  readonly recent: (account: string, kind: WorkloadRef["kind"], region: string) => RecentList | undefined;
  readonly logPages: RecentLogPages;
  /** The API doesn't give this list to the account any more. */
  readonly forget: (account: string, kind: WorkloadRef["kind"], region: string) => void;
  readonly remember: (account: string, kind: WorkloadRef["kind"], listed: Listed) => void;
  /** The job's instances as last read, and when. */
  readonly instances: (account: string, job: string) => Instances | undefined;
  readonly rememberInstances: (account: string, job: string, names: readonly string[]) => void;
};

type Instances = { readonly names: readonly string[]; readonly at: number };

type Listed = { readonly region: string; readonly entries: readonly Entry[] };

/** Long enough to correct a typo from the list just shown, short enough not to suggest deleted workloads. */
const FRESH_MS = 5 * 60_000;
const MOST_LISTS = 200;

/** Keeps the last lists in memory; a lost list costs one call. `now` in milliseconds. */
export function createDirectory(clock: Pick<Clock, "now">): Directory {
  const lists = boundedMap<string, RecentList>(MOST_LISTS);
  const instances = boundedMap<string, Instances>(MOST_LISTS);
  const key = (account: string, kind: string, region: string): string => JSON.stringify([account, kind, region]);
  const recent: Directory["recent"] = (account, kind, region) => {
    const list = lists.get(key(account, kind, region));
    return list !== undefined && clock.now().getTime() - list.at < FRESH_MS ? list : undefined;
  };
  return {
    logPages: createRecentLogPages(),
    names: (account, kind, region) => recent(account, kind, region)?.entries.map(({ name }) => name),
    recent,
    forget: (account, kind, region) => void lists.delete(key(account, kind, region)),
    remember(account, kind, { region, entries }) {
      lists.set(key(account, kind, region), { entries, at: clock.now().getTime() });
    },
    instances: (account, job) => instances.get(key(account, "job", job)),
    rememberInstances(account, job, names) {
      instances.set(key(account, "job", job), { names, at: clock.now().getTime() });
    },
  };
}

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
  const last = boundedMap<string, { readonly end: number; readonly hashes: readonly string[] }>(MOST_LOGS);
  return {
    overlap({ log, from, lines }) {
      const before = last.get(log);
      const hashes = lines.map((line) => hash("sha1", line));
      last.set(log, { end: from + lines.length, hashes });
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
