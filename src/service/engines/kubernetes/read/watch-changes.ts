import type { ChangeFeed, ChangedList } from "../../../change-feed.ts";
import { type CachedKind, jobKinds, type NamespaceCache, serviceKinds } from "../cache/namespace-cache.ts";
import type { Region } from "../regions.ts";
import { namespacesOf, regionOf } from "./place.ts";

type Watching = Pick<ChangedList, "username" | "region"> & { readonly signal: AbortSignal };

export type WatchedChanges = {
  /**
   * Notes each change in the namespaces of this user from now on. Namespaces that came since the last call are added.
   * Throws a `Refusal` for an unknown region, and where the user has no namespace.
   */
  readonly begin: (watching: Watching) => Promise<void>;
  readonly end: () => void;
};

/**
 * Tells the feed what the watches of the cluster say. Every object that a service or a job is read from counts, so a change
 * is noted more often than a list shows one.
 */
export function watchChanges(
  { regions }: { readonly regions: ReadonlyMap<string, Region> },
  feed: Pick<ChangeFeed, "note">,
): WatchedChanges {
  const watched = new Map<string, { readonly cache: NamespaceCache; readonly ends: readonly (() => void)[] }>();
  return {
    async begin({ username, region: name, signal }) {
      const region = regionOf({ regions }, name, [...regions.keys()]);
      const { names } = await namespacesOf(region, username, signal);
      for (const namespace of names) {
        const key = JSON.stringify([username, name, namespace]);
        const cache = region.cacheOf(namespace);
        const before = watched.get(key);
        // A namespace that went and came back has another cache.
        if (before?.cache === cache) continue;
        for (const end of before?.ends ?? []) end();
        const note = (kind: ChangedList["kind"]) => () => feed.note({ username, region: name, kind });
        const { config } = region;
        const jobs = config.jobs ? jobKinds(config) : [];
        const all = [...onEach(cache, serviceKinds(config), note("service")), ...onEach(cache, jobs, note("job"))];
        watched.set(key, { cache, ends: all });
        // What is there may be other than what was read before this cache began to watch.
        feed.note({ username, region: name, kind: "service" });
        feed.note({ username, region: name, kind: "job" });
      }
    },
    end() {
      for (const end of [...watched.values()].flatMap(({ ends }) => ends)) end();
      watched.clear();
    },
  };
}

function onEach(cache: NamespaceCache, kinds: readonly CachedKind[], note: () => void): (() => void)[] {
  return kinds.map((kind) => cache.onChange(kind, note));
}
