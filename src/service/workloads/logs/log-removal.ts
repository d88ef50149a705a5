import { loggedWorkloads, removeLines } from "./log-store.ts";
import type { LogDatabase } from "./log-tables.ts";

/** Removes logs of workloads. Never throws: failed removals, as on a full disk, are retried later. */
export type Removal = {
  /** True if this workload's log was or will be removed. */
  readonly has: (workload: string) => boolean;
  readonly add: (workload: string) => void;
  /** Removes all added logs that still exist. */
  readonly retry: () => Promise<void>;
  /** The same, but only after a failure. */
  readonly retryFailed: () => Promise<void>;
  readonly removeOthers: (known: ReadonlySet<string>, prefix: string) => Promise<void>;
};

/** Must exceed the number of workloads that end at the same time, because their last lines can arrive after removal. */
const REMEMBERED = 10_000;

export function makeRemoval(database: LogDatabase, onEvent: (message: string, data: object) => void): Removal {
  const forgotten = new Set<string>();
  const unremoved = new Set<string>();

  let hasFailed = false;

  async function retry(): Promise<void> {
    const workloads = [...unremoved];
    try {
      await removeLines(database, workloads);
      for (const workload of workloads) unremoved.delete(workload);
      hasFailed = false;
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      onEvent("couldn't remove logs of deleted workloads; retrying later", { error });
    }
  }

  return {
    retry,
    retryFailed: async () => (hasFailed ? await retry() : undefined),
    has: (workload: string) => forgotten.has(workload),
    add(workload: string) {
      forgotten.add(workload);
      unremoved.add(workload);
      const [oldest] = forgotten;
      if (forgotten.size > REMEMBERED && oldest !== undefined) forgotten.delete(oldest);
    },
    async removeOthers(known: ReadonlySet<string>, prefix: string) {
      const logged = await loggedWorkloads(database, prefix).catch(() => []); // the next start finds them
      for (const workload of logged) if (!known.has(workload)) unremoved.add(workload);
      await retry();
    },
  };
}
