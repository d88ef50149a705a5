import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { machineClock } from "../../platform/clock.ts";
import type { Sealer } from "../accounts/seal.ts";
import { openPostgres } from "../../platform/database/postgres.ts";
import { openSqlite } from "../../platform/database/sqlite.ts";
import {
  clockOf,
  databaseFile,
  type Flavour,
  type MachineClock,
  type Session,
  storeErrorOf,
  type StorePlace,
} from "./database/session.ts";
import { upgrade } from "./schema/migrations.ts";
import { forgetOthers, leave, troubleOf } from "./database/replicas.ts";
import { endLeases } from "./due.ts";
import type { Statements, Store } from "./store.ts";
import * as statements from "./statements.ts";
import { closeRestored } from "./database/restored.ts";
import { textSealer } from "./database/text-sealer.ts";
import type { Tables } from "./schema/tables.ts";
import { within } from "../../platform/waiting.ts";
import { StoreError } from "../errors.ts";
import { openChain } from "./audit/chain-rows.ts";
import { type UnsharedPlace, readingCurrentStore } from "./database/inspect.ts";
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../../platform/make-folder.ts";
import { makePrivate } from "../../platform/make-private.ts";

export type OpenStore = StorePlace & {
  /** A new one for each process, so rows held by the last process are known to be free. */
  readonly replicaId: string;
  readonly log: Logger;
  /** Seals text of people and of the workload API; without it, that text is stored in the clear. */
  readonly sealer?: Sealer;
  readonly leaseMs?: number;
  readonly sendWithinMs?: number;
  /** Aborts the wait for the lock of the folder, or for older replicas: then `openStore` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Retention of history and of settled Changes; without it, they are kept for ever. */
  readonly keepHistoryMs?: number | undefined;
  /** This machine's by default; one that is ahead of it says so, and the database adds that to its own. */
  readonly clock?: MachineClock & { readonly offsetMs?: () => number };
};

const LEASE_MS = 20_000;
const SEND_WITHIN_MS = 10_000;
/** A migration may be slow, and waits for that of another replica. */
const MIGRATE_WITHIN_MS = 120_000;

type Opened = { readonly db: Kysely<Tables>; readonly flavour: Flavour; readonly close: () => Promise<void> };

/**
 * Opens the store, brings its schema up to date, and says that this replica lives. Throws an Error with a sentence when
 * another process has the folder, a newer program wrote the data, or older replicas still run with an older schema, and a `StoreError`
 * when the database cannot be reached.
 */
export async function openStore(options: OpenStore): Promise<Store> {
  const { clock: machine = machineClock, leaseMs = LEASE_MS, sendWithinMs = SEND_WITHIN_MS, replicaId, log } = options;
  const opened = await openPlace(options);
  const before: Omit<Session, "chain"> = {
    replicaId,
    log,
    leaseMs,
    sendWithinMs,
    keepHistoryMs: options.keepHistoryMs,
    db: opened.db,
    textSealer: textSealer(options.sealer),
    flavour: opened.flavour,
    clock: clockOf(opened.flavour, options.clock?.offsetMs ?? (() => 0)),
    machine,
    scheduled: { isNow: false },
  };
  let session: Session;
  try {
    await migrateAt(options, before);
    session = { ...before, chain: await openChain(before, options.sealer) };
    // A folder has one process, and that is us: what earlier ones worked on is free at once.
    if (options.kind === "sqlite") {
      await forgetOthers(session);
      await endLeases(session);
    }
    await closeRestored(session);
  } catch (error) {
    await opened.close();
    throw storeErrorOf(error) ?? error;
  }
  return storeOver(session, opened.close);
}

type Command = { readonly sealer: Sealer; readonly log: Logger };

/**
 * Work with a database beside the Gantry that has it open, for a command: without its lock, a lease, or a migration.
 * Throws an Error with a sentence when there is no database, or it has another schema.
 */
export async function besideGantry<Result>(
  place: UnsharedPlace,
  { sealer, log }: Command,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  // Says what is in the way.
  await readingCurrentStore(place, async () => undefined);
  const db =
    place.kind === "sqlite"
      ? openSqlite<Tables>(databaseFile(place.dataDir), place)
      : openPostgres<Tables>({ ...place, poolSize: 1 }, lossLogged(log));
  const before = {
    replicaId: "command",
    log,
    leaseMs: LEASE_MS,
    sendWithinMs: SEND_WITHIN_MS,
    keepHistoryMs: undefined,
    db,
    textSealer: textSealer(sealer),
    flavour: place.kind,
    clock: clockOf(place.kind, () => 0),
    machine: machineClock,
    scheduled: { isNow: false },
  };
  try {
    return await work({ ...before, chain: await openChain(before, sealer) });
  } catch (error) {
    throw storeErrorOf(error) ?? error;
  } finally {
    await db.destroy();
  }
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
  const unlock = await lockFolder(options);
  try {
    const file = databaseFile(options.dataDir);
    // Readable only by this user, also in a folder that others may read. SQLite gives its other files the same mode.
    closeSync(openSync(file, "a", 0o600));
    const db = openSqlite<Tables>(file, options);
    // The lock keeps other processes out; should somebody look in with a tool, an ack must not wait 5 s for them.
    await sql`pragma busy_timeout = 800`.execute(db);
    // Otherwise, what is deleted stays in free parts of the file, where no erasure finds it.
    await sql`pragma secure_delete = on`.execute(db);
    return { db, flavour: "sqlite", close: () => db.destroy().finally(unlock) };
  } catch (error) {
    unlock();
    throw storeErrorOf(error) ?? error;
  }
}

/** On PostgreSQL over a connection of its own, with a longer limit. */
async function migrateAt(options: OpenStore, session: Omit<Session, "chain">): Promise<void> {
  const { kind, signal } = options;
  const common = { isOnlyProcess: kind === "sqlite", signal };
  if (kind !== "postgres") return upgrade(session, common);
  const limits = { poolSize: 1, statementTimeoutMs: MIGRATE_WITHIN_MS };
  const db = openPostgres<Tables>({ ...options, ...limits }, lossLogged(options.log));
  try {
    await upgrade({ ...session, db }, common);
  } finally {
    await db.destroy();
  }
}

/** How long a stop waits for a database that doesn't answer. */
const CLOSE_WITHIN_MS = 3_000;

/** The store over an open database. Problems with the database are thrown as a `StoreError`. */
function storeOver(session: Session, closeDatabase: () => Promise<void>): Store {
  let isOpen = true;
  let begin = (): void => undefined;
  const over =
    <Args extends readonly unknown[], Result>(work: (session: Session, ...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isOpen) throw closed();
      const scheduled = { isNow: false };
      try {
        const result = await work({ ...session, scheduled }, ...args);
        if (scheduled.isNow) begin();
        return result;
      } catch (error) {
        throw storeErrorOf(error) ?? error;
      }
    };
  const all = Object.entries<(session: Session, ...args: never[]) => Promise<unknown>>(statements);
  return {
    sendWithinMs: session.sendWithinMs,
    ...(Object.fromEntries(all.map(([name, work]) => [name, over(work)])) as Statements), // the same names, each without its first argument
    onDue: (listener) => void (begin = listener),
    isOpen: () => isOpen,
    trouble: async () => (isOpen ? troubleOf(session) : closed()),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await within(
        CLOSE_WITHIN_MS,
        each([() => leave(session), closeDatabase], session),
        () => undefined,
        session.machine,
      );
    },
  };
}

function closed(): StoreError {
  return new StoreError("Gantry is stopping and has closed its database. Try again in a minute.");
}

/** Tries each step, even if the one before it failed. */
async function each(steps: readonly (() => Promise<void>)[], { log }: Session): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, "the database was not closed in order; what was held is free when the lease is over");
    }
  }
}

const LOCK_WITHIN_MS = 15_000;
const LOCK_EVERY_MS = 100;
/** The bot's, those of the simulated Slack, and the folder of the local workload API. */
const OUR_FILES = /^(?:gantry\.(?:key|lock|sqlite)|playground[-.]|demo-created$|service(?:-users)?$)/u;

/** Locks a data folder for one process. During a restart, the new process waits for the old one to stop. */
async function lockFolder(options: OpenStore & { readonly dataDir: string }): Promise<() => void> {
  const { clock = machineClock, dataDir, log, signal } = options;
  try {
    // It holds URLs that can post in Slack: only this user may read it.
    makeFolder(dataDir, { mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const todo = "Create it for this user, or set GANTRY_DATA to another one.";
    throw new Error(`Gantry wasn't started. It can't create its folder ${dataDir}: ${why}. ${todo}`, { cause });
  }
  const since = clock.elapsedMs();
  for (let isFirst = true; ; isFirst = false) {
    const unlock = lockFile(join(dataDir, "gantry.lock"));
    if (unlock !== undefined) {
      makePrivate(dataDir, (name) => OUR_FILES.test(name));
      return unlock;
    }
    if (clock.elapsedMs() - since > LOCK_WITHIN_MS) break;
    if (isFirst)
      log.warn(`another Gantry works with ${dataDir}; waiting up to ${LOCK_WITHIN_MS / 1_000} s for it to end`);
    await clock.sleep(LOCK_EVERY_MS, signal);
  }
  throw new Error(`Another Gantry works with ${dataDir}. Stop it, or set GANTRY_DATA to another folder for this one.`);
}

/**
 * Takes a lock for this process; the folder must exist. The lock is a transaction held open in a database of its own,
 * so the system drops it with the process, however that ends (a pid file would outlive `kill -9`). Returns a function
 * that releases it; undefined when another process has it.
 */
export function lockFile(path: string): (() => void) | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("PRAGMA busy_timeout=0; PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE;");
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes("locked"))) throw error;
    return undefined;
  }
  return () => lock.close();
}
