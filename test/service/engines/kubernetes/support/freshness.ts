import type { KubeObject } from "../../../../../src/service/engines/kubernetes/cluster/kinds.ts";

type Service = KubeObject<"Service">;

/** What was written and when it was answered, to judge what later reads show. */
export type Freshness = {
  readonly wrote: (object: Service) => void;
  /** Called before a deletion is sent: from then on the object may be gone. */
  readonly deleting: (name: string) => void;
  readonly deleted: (name: string) => void;
  readonly writes: () => number;
  /** For a read that began at `at`: for how long, in ms, the oldest change that it lacks had been answered; 0 if none. */
  readonly lateness: (shown: readonly Service[], at: number) => number;
};

type Write = { readonly at: number; readonly version: bigint | "deleted" };

export function makeFreshness(): Freshness {
  const writes = new Map<string, Write[]>();
  const leaving = new Set<string>();
  const note = (name: string, version: Write["version"]): void => {
    writes.set(name, [...(writes.get(name) ?? []), { at: performance.now(), version }]);
  };
  return {
    wrote: ({ metadata }) => note(metadata.name, BigInt(metadata.resourceVersion)),
    deleting: (name) => void leaving.add(name),
    deleted: (name) => note(name, "deleted"),
    writes: () => [...writes.values()].reduce((sum, each) => sum + each.length, 0),
    lateness(shown, at) {
      const versions = new Map(shown.map(({ metadata }) => [metadata.name, BigInt(metadata.resourceVersion)]));
      let longest = 0;
      for (const [name, all] of writes) {
        const lacked = all.find((write) => write.at < at && lacks(write, versions.get(name), leaving.has(name)));
        if (lacked) longest = Math.max(longest, at - lacked.at);
      }
      return longest;
    },
  };
}

/** Names are never used twice, so a deleted one stays away. */
function lacks({ version }: Write, shown: bigint | undefined, isLeaving: boolean): boolean {
  if (version === "deleted") return shown !== undefined;
  return shown === undefined ? !isLeaving : shown < version;
}
