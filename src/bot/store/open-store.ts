import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Sealer } from "../accounts/seal.ts";
import { openPostgres, type PostgresOptions } from "../../platform/database/postgres.ts";
import { openSqlite, type SqliteOptions } from "../../platform/database/sqlite.ts";
import { clockOf, type Flavour } from "./database/clock.ts";
import { lockFile } from "./database/lock.ts";
import { databaseFile } from "./database/look.ts";
import { migrate } from "./schema/migrate.ts";
import { beat, forgetOthers } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { storeErrorOf } from "./database/store-error.ts";
import { storeOver } from "./store-over.ts";
import type { Store } from "./store.ts";
import { textSealer } from "./database/text-sealer.ts";
import type { Tables } from "./schema/tables.ts";

/** Where the rows lie. */
export type StorePlace =
  | ({ readonly kind: "sqlite"; readonly dataDir: string } & SqliteOptions)
  | ({ readonly kind: "postgres" } & PostgresOptions)
  /** Opened and closed by somebody else: so several stores, as replicas, share one database without a server. */
  | { readonly kind: "shared"; readonly db: Kysely<Tables>; readonly flavour: Flavour };

export type OpenStore = StorePlace & {
  /** A new one for each process, so rows held by the last process are known to be free. */
  readonly replicaId: string;
  readonly log: Logger;
  /** Seals text that people typed; without it, that text is stored in the clear. */
  readonly sealer?: Sealer;
  readonly leaseMs?: number;
  readonly sendWithinMs?: number;
  /** History, and with it settled Changes, older than this are removed now and then; never without it. */
  readonly keepHistoryMs?: number | undefined;
  /** Moves the database's clock, for tests. */
  readonly offsetMs?: () => number;
  /** This machine's clock, for tests. */
  readonly wallMs?: () => number;
};

const LEASE_MS = 20_000;
const SEND_WITHIN_MS = 10_000;
/** A migration may take its time, and waits for that of another replica. */
const MIGRATE_WITHIN_MS = 120_000;

type Opened = { readonly db: Kysely<Tables>; readonly flavour: Flavour; readonly close: () => Promise<void> };

/**
 * Opens the store, brings its schema up to date, and says that this replica lives. Throws an Error with a sentence when
 * another process has the folder or a newer program wrote the data, and a `StoreError` when the database cannot be reached.
 */
export async function openStore(options: OpenStore): Promise<Store> {
  const { offsetMs = () => 0, leaseMs = LEASE_MS, sendWithinMs = SEND_WITHIN_MS, replicaId, log } = options;
  const opened = await openPlace(options);
  const session: Session = {
    replicaId,
    log,
    leaseMs,
    sendWithinMs,
    keepHistoryMs: options.keepHistoryMs,
    db: opened.db,
    textSealer: textSealer(options.sealer),
    flavour: opened.flavour,
    clock: clockOf(opened.flavour, offsetMs),
    elapsedMs: () => performance.now() + offsetMs(),
    wallMs: options.wallMs ?? Date.now,
  };
  try {
    await migrateAt(options, session);
    // A folder has one process, and that is us: rows of earlier processes are free at once, not when their lease ends.
    if (options.kind === "sqlite") await forgetOthers(session);
    await beat(session);
  } catch (error) {
    await opened.close();
    throw storeErrorOf(error) ?? error;
  }
  return storeOver(session, opened.close);
}

function lossLogged(log: Logger): (reason: string) => void {
  return (reason) => log.warn({ reason }, "a connection to the database was lost");
}

async function openPlace(options: OpenStore): Promise<Opened> {
  if (options.kind === "shared") return { db: options.db, flavour: options.flavour, close: async () => {} };
  if (options.kind === "postgres") {
    const db = openPostgres<Tables>(options, lossLogged(options.log));
    return { db, flavour: "postgres", close: () => db.destroy() };
  }
  const unlock = lockFile(join(options.dataDir, "gantry.lock"));
  try {
    const db = openSqlite<Tables>(databaseFile(options.dataDir), options);
    // The lock keeps other processes out; should somebody look in with a tool, an ack must not wait 5 s for them.
    await sql`pragma busy_timeout = 800`.execute(db);
    return { db, flavour: "sqlite", close: () => db.destroy().finally(unlock) };
  } catch (error) {
    unlock();
    throw storeErrorOf(error) ?? error;
  }
}

/** On PostgreSQL over a connection of its own, with a longer limit. */
async function migrateAt(options: OpenStore, session: Session): Promise<void> {
  if (options.kind !== "postgres") return migrate(session);
  const limits = { poolSize: 1, statementTimeoutMs: MIGRATE_WITHIN_MS };
  const db = openPostgres<Tables>({ ...options, ...limits }, lossLogged(options.log));
  try {
    await migrate({ ...session, db });
  } finally {
    await db.destroy();
  }
}
