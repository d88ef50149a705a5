import { basename } from "node:path";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import { databaseTroubleOf } from "../../../platform/database/database-trouble.ts";
import { openPostgres, type TlsOptions } from "../../../platform/database/postgres.ts";
import { openSqlite } from "../../../platform/database/sqlite.ts";
import { StartError, withFileNamed } from "../state/file-errors.ts";
import { DEFAULT_LOG_LIMITS, type LogLimits } from "./log-bounds.ts";
import {
  createLogTables,
  type LogDatabase,
  type LogTables,
  createPostgresLogTables,
  LOG_SCHEMA,
} from "./log-tables.ts";
import { type LogWriter, openLogWriter } from "./log-writer.ts";

/** Where the lines are: a file for one server, or a database that several replicas share. */
type LogPlace =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string; readonly tls?: TlsOptions | "off" };

type LogStoreOptions = {
  readonly limits?: LogLimits | undefined;
  readonly clock?: Clock;
  readonly onEvent: (message: string, data: object) => void;
};

/**
 * Opens the logs and brings their tables up to date. Throws a `StartError` with a sentence when the file or the database
 * can't be used; it never holds the address, which may have a password.
 */
export async function openLogStore(place: LogPlace, options: LogStoreOptions): Promise<LogWriter> {
  const { limits = DEFAULT_LOG_LIMITS, clock = machineClock, onEvent } = options;
  const database = place.kind === "sqlite" ? await openFile(place.path) : await openServer(place, onEvent);
  return openLogWriter(database, { limits, clock, onEvent });
}

async function openFile(path: string): Promise<LogDatabase> {
  return await withFileNamed(path, async () => {
    const db = openSqlite<LogTables>(path, { mayLoseLast: true });
    await createLogTables(db, path);
    return { db, flavour: "sqlite", file: basename(path) } as const;
  });
}

/** Lines are written by one replica at a time, and pages are short: a few connections are enough. */
const POOL_SIZE = 5;
const STATEMENT_TIMEOUT_MS = 10_000;

type Server = Extract<LogPlace, { kind: "postgres" }>;

async function openServer({ url, tls }: Server, onEvent: LogStoreOptions["onEvent"]): Promise<LogDatabase> {
  const setting = "SERVICE_DATABASE_URL";
  const limits = { poolSize: POOL_SIZE, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const pool = openPostgres<LogTables>({ url, setting, ...(tls && { tls }), ...limits }, (reason) =>
    onEvent("a connection to the log database was lost", { reason }),
  );
  const db = pool.withSchema(LOG_SCHEMA);
  try {
    await createPostgresLogTables(db);
  } catch (error) {
    await pool.destroy();
    const why = error instanceof Error && databaseTroubleOf(error, setting);
    if (!why) throw error;
    throw new StartError(`Couldn't open the log database: ${why}. Check ${setting} and start again.`, { cause: error });
  }
  return { db, flavour: "postgres" };
}
