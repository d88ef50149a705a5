import { instancesText } from "../../views/kit/text.ts";
import { hash } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";
import { type WorkloadStatus, jobStatus, serviceStatus } from "../../../api/workload-status.ts";
import type { Job, Service } from "../../../api/answers.ts";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { GuardedAccountApi } from "../../../api/client.ts";
import type { Kind, Regions } from "../grammar/argument-types.ts";
import { mapInTurns } from "../../../platform/turns.ts";

/** A workload of a list, with its status in words. */
export type Entry = {
  readonly name: string;
  readonly status: string;
  /** How it is; older callers only know the words. */
  readonly health?: WorkloadStatus;
  /** As `instancesText` says it. */
  readonly size?: string | undefined;
};

/** A list of one kind in one region, and when it was read, in milliseconds. */
export type RecentList = { readonly entries: readonly Entry[]; readonly at: number };

/** A cache of the last lists, so that typos, pickers and bare names don't cost a list call. */
export type Directory = {
  /** Names of one kind in one region as last listed; undefined when that is more than 5 minutes ago. */
  readonly names: (account: string, kind: Kind, region: string) => readonly string[] | undefined;
  /** The last list with its age, at most 5 minutes; the caller decides how old it may be. */
  readonly recent: (account: string, kind: Kind, region: string) => RecentList | undefined;
  readonly logPages: RecentLogPages;
  /** The API doesn't give this list to the account any more. */
  readonly forget: (account: string, kind: Kind, region: string) => void;
  readonly remember: (
    account: string,
    kind: Kind,
    listed: { readonly region: string; readonly entries: readonly Entry[] },
  ) => void;
  /** The job's instances as last read, and when. */
  readonly instances: (account: string, job: string) => Instances | undefined;
  readonly rememberInstances: (account: string, job: string, names: readonly string[]) => void;
};

type Instances = { readonly names: readonly string[]; readonly at: number };

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

/**
 * A list call's workloads, how many entries had no name, so that nobody can address them, and what the API says is missing,
 * as sentences.
 */
export type Listed<Item> = {
  readonly items: readonly Item[];
  readonly skipped: number;
  readonly unlisted: readonly string[];
};

type Listing = {
  readonly api: GuardedAccountApi;
  readonly account: { readonly username: string };
  readonly directory: Directory;
  readonly region: string;
  readonly settings: Pick<Regions, "jobsRegion">;
  readonly signal: AbortSignal;
};

/** Every service of the region; one call. The names are remembered for suggestions. */
export function listServices(listing: Listing): Promise<Listed<Service>> {
  const { api, region, signal } = listing;
  const path = { region };
  const answer = api
    .send({ op: "listServices", path, query: undefined, body: undefined }, { signal, isBrief: true })
    .then(({ services, ...rest }) => ({ ...rest, items: services }));
  return remembered({ kind: "service", region, answer, entryOf: serviceEntry }, listing);
}

/** Every job; one call. The names are remembered for suggestions. */
export function listJobs(listing: Omit<Listing, "region">): Promise<Listed<Job>> {
  const { api, settings, signal } = listing;
  const region = settings.jobsRegion;
  const path = { region };
  const answer = api
    .send({ op: "listJobs", path, query: undefined, body: undefined }, { signal, isBrief: true })
    .then(({ jobs, ...rest }) => ({ ...rest, items: jobs }));
  return remembered({ kind: "job", region, answer, entryOf: jobEntry }, listing);
}

type ListCall<Item> = {
  readonly kind: Kind;
  readonly region: string;
  readonly answer: Promise<{ items: readonly Item[]; skipped: number; not_listed?: readonly string[] | undefined }>;
  readonly entryOf: (item: Item) => Entry;
};

async function remembered<Item extends object>(
  { kind, region, answer, entryOf }: ListCall<Item>,
  { directory, account: { username } }: Pick<Listing, "directory" | "account">,
): Promise<Listed<Item>> {
  try {
    const { items, skipped, not_listed: unlisted = [] } = await answer;
    directory.remember(username, kind, { region, entries: await entriesOf(items, entryOf) });
    return { items, skipped, unlisted };
  } catch (error) {
    // An account that the API refuses is shown nothing that it read before.
    if (error instanceof Problem && refusesAccount(error)) directory.forget(username, kind, region);
    throw error;
  }
}

function serviceEntry(service: Service): Entry {
  const health = serviceStatus(service);
  return { name: service.name, status: health.words, health, size: instancesText(service) };
}

function jobEntry(job: Job): Entry {
  const health = jobStatus(job);
  return { name: job.metadata.name, status: health.words, health };
}

const made = new WeakMap<readonly object[], Promise<readonly Entry[]>>();

/** Callers who share a read get the same list, whose entries are made once. */
function entriesOf<Item extends object>(items: readonly Item[], entryOf: (item: Item) => Entry) {
  const entries = made.get(items) ?? mapInTurns(items, entryOf);
  made.set(items, entries);
  return entries;
}
