import { join } from "node:path";
import { sql, type Kysely } from "kysely";
import { openSqlite } from "../sqlite.ts";
import { lockFile } from "./lock.ts";
import { migrate } from "./migrations.ts";
import type { RunRow, Settled } from "./run-row.ts";
import {
  acceptWrite,
  aimRun,
  claimRun,
  findRun,
  type NewRun,
  openRuns,
  pruneDeliveries,
  type RunTarget,
  settleRun,
} from "./runs.ts";
import type { Tables } from "./tables.ts";

/** What the bot keeps over a restart. */
export type Store = {
  /** Commits a delivery and its run; false when this delivery was stored before. */
  readonly acceptWrite: (run: NewRun) => Promise<boolean>;
  readonly aimRun: (id: string, target: RunTarget) => Promise<void>;
  /** True once for each run: then, and only then, its request may be sent. */
  readonly claimRun: (id: string, at: Date) => Promise<boolean>;
  readonly settleRun: (id: string, end: { readonly state: Settled; readonly at: Date }) => Promise<boolean>;
  readonly openRuns: () => Promise<readonly RunRow[]>;
  readonly findRun: (id: string) => Promise<RunRow | undefined>;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
};

/** Slack repeats a delivery within about five minutes; an hour leaves room for a slow network. */
const KEEP_DELIVERIES_MS = 60 * 60_000;
const PRUNE_EVERY_MS = 10 * 60_000;

/**
 * Opens what lies in `dataDir`, for this process alone, and brings its schema up to date. Throws an Error with a
 * sentence when another process has it, or a newer program wrote it.
 */
export async function openStore(dataDir: string, now: () => Date): Promise<Store> {
  const unlock = lockFile(join(dataDir, "gantry.lock"));
  try {
    const db = openSqlite<Tables>(join(dataDir, "gantry.sqlite"));
    // The lock keeps other processes out; should somebody look in with a tool, an ack must not wait 5 s for them.
    await sql`pragma busy_timeout = 800`.execute(db);
    await migrate(db, now);
    return storeOver(db, { now, unlock });
  } catch (error) {
    unlock();
    throw error;
  }
}

function storeOver(db: Kysely<Tables>, parts: { now: () => Date; unlock: () => void }): Store {
  let isOpen = true;
  let prunedMs = 0;
  const pruneSometimes = async (): Promise<void> => {
    const nowMs = parts.now().getTime();
    if (nowMs - prunedMs < PRUNE_EVERY_MS) return;
    prunedMs = nowMs;
    await pruneDeliveries(db, new Date(nowMs - KEEP_DELIVERIES_MS));
  };
  return {
    acceptWrite: (run) => acceptWrite(db, run),
    aimRun: (id, target) => aimRun(db, id, target),
    claimRun: (id, at) => claimRun(db, id, at),
    async settleRun(id, end) {
      // Here and not when a delivery comes in: a person waits for that.
      await pruneSometimes();
      return settleRun(db, id, end);
    },
    openRuns: () => openRuns(db),
    findRun: (id) => findRun(db, id),
    isOpen: () => isOpen,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await db.destroy();
      parts.unlock();
    },
  };
}
