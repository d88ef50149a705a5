import type { WorkloadRef } from "../changes/change.ts";
import { createShownPages, type ShownPages } from "./shown-pages.ts";

/** What the service has shown lately, so that a typo or a bare name need not cost a list call. */
export type Directory = {
  /** Names of one kind in one region as last listed, or `undefined` when that was never or too long ago. */
  readonly names: (account: string, kind: WorkloadRef["kind"], region: string) => readonly string[] | undefined;
  readonly pages: ShownPages;
  readonly remember: (account: string, kind: WorkloadRef["kind"], listed: Listed) => void;
};

type Listed = { readonly region: string; readonly names: readonly string[] };

/** Long enough for a typo to be answered from the list just seen, short enough not to claim what is gone. */
const FRESH_MS = 5 * 60_000;
const MOST_ENTRIES = 200;

/** Keeps the last lists in memory; losing it costs a call, never an answer. `now` in milliseconds. */
export function createDirectory(now: () => number): Directory {
  const lists = new Map<string, { names: readonly string[]; at: number }>();
  const key = (account: string, kind: string, region: string): string => JSON.stringify([account, kind, region]);
  return {
    pages: createShownPages(),
    names(account, kind, region) {
      const list = lists.get(key(account, kind, region));
      return list !== undefined && now() - list.at < FRESH_MS ? list.names : undefined;
    },
    remember(account, kind, { region, names }) {
      const entry = key(account, kind, region);
      lists.delete(entry);
      lists.set(entry, { names, at: now() });
      const oldest = lists.keys().next().value;
      if (lists.size > MOST_ENTRIES && oldest !== undefined) lists.delete(oldest);
    },
  };
}
