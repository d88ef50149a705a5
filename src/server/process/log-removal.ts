import type { Kysely } from "kysely";
import { loggedWorkloads, removeLines } from "./log-store.ts";
import type { LogTables } from "./log-tables.ts";

/** Removes logs of workloads. It never throws: what cannot be removed, as on a full disk, is removed later. */
export type Removal = {
  /** Whether the log of this workload was removed, or is to be. */
  readonly has: (workload: string) => boolean;
  readonly add: (workload: string) => void;
  /** Removes what was added and is still there. */
  readonly retry: () => Promise<void>;
  /** The same, only after a failure. */
  readonly retryFailed: () => Promise<void>;
  readonly removeOthers: (known: ReadonlySet<string>) => Promise<void>;
};

/** Remembers more forgotten workloads than end at the same time: their last words may come after they were forgotten. */
const REMEMBERED = 10_000;

export function makeRemoval(db: Kysely<LogTables>, onEvent: (message: string, data: object) => void): Removal {
  const forgotten = new Set<string>();
  const unremoved = new Set<string>();

  let hasFailed = false;

  async function retry(): Promise<void> {
    const workloads = [...unremoved];
    try {
      await removeLines(db, workloads);
      for (const workload of workloads) unremoved.delete(workload);
      hasFailed = false;
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      onEvent("the logs of deleted workloads could not be removed; they are removed later", { error });
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
    async removeOthers(known: ReadonlySet<string>) {
      const logged = await loggedWorkloads(db).catch(() => []); // they are found at the next start
      for (const workload of logged) if (!known.has(workload)) unremoved.add(workload);
      await retry();
    },
  };
}
