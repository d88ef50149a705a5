import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import { databaseTroubleOf } from "./database-trouble.ts";

export type TlsOptions = {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Set when the server's name is not checked. */
  readonly checkServerIdentity?: () => undefined;
};

export type PostgresOptions = {
  /** With the password in it: never shown, never logged. */
  readonly url: string;
  /** The variable that holds the URL, for errors; DATABASE_URL. */
  readonly setting?: string;
  /** The combined result of URL and settings. Without it, only the URL counts (`sslmode`). */
  readonly tls?: TlsOptions | "off";
  readonly poolSize: number;
  /** How long a statement may take, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** How long a connection may take, and a statement may wait for one; a second. */
  readonly connectWithinMs?: number;
};

/** A person waits: a database that does not take a connection within this time counts as gone. */
const CONNECT_WITHIN_MS = 1_000;

/**
 * Opens a Kysely over a pool of connections to PostgreSQL. A connection that is lost is replaced by the next statement
 * that needs one; it never ends the process. `onLost` is told why: only the sentence, because the driver's error carries
 * the client, and with it where and how it connects.
 */
export function openPostgres<Tables>(options: PostgresOptions, onLost: (reason: string) => void): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: async () => forKysely(await openPool(options, onLost)) }),
  });
}

async function openPool(options: PostgresOptions, onLost: (reason: string) => void): Promise<Pool> {
  // Imported late: most bots use SQLite.
  const { Pool } = await import("pg");
  const { statementTimeoutMs: limitMs, connectWithinMs = CONNECT_WITHIN_MS } = options;
  const pool = new Pool({
    ...addressOf(options),
    max: options.poolSize,
    application_name: "gantry",
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    statement_timeout: limitMs,
    // The server looks for a deadlock after a second, which may be too late, and only a superuser may change that. Whoever ran into this
    // limit can run the transaction again.
    lock_timeout: limitMs / 2,
    // A replica that is frozen in the middle of a transaction must not keep the others from a row for longer.
    idle_in_transaction_session_timeout: limitMs * 2,
    // The server ends a slow statement by itself; this is for a server that says nothing at all.
    query_timeout: limitMs + connectWithinMs,
  });
  const onError = (error: Error) => onLost(error.message);
  pool.on("error", onError);
  // The pool listens to idle clients only; a client that breaks between two statements would end the process.
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

/** A pool for the dialect that closes failed connections instead of using them again. */
function forKysely(pool: Pool): PostgresPool {
  return {
    options: {},
    connect: async () => watched(await pool.connect()),
    end: () => pool.end(),
  };
}

function watched(client: PoolClient): PostgresPoolClient {
  let broken: Error | undefined;
  const query = async (text: string, parameters: readonly unknown[] = []): Promise<unknown> => {
    // Not one more wait for a connection that does not answer: a rollback would only be queued behind.
    if (broken !== undefined) throw broken;
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      if (error instanceof Error && databaseTroubleOf(error, "") !== undefined && !isCancelled(error)) broken = error;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient["query"], // Kysely calls it with a text and values; cursors are not configured
    release: (destroy) => client.release(destroy === true || broken !== undefined),
  };
}

/** The server ended a statement or a transaction by itself; the connection is as good as before. */
function isCancelled(error: Error): boolean {
  return "code" in error && typeof error.code === "string" && /^(?:57014|55P03|40P01|40001)$/u.test(error.code);
}

function addressOf({ url, tls, setting = "DATABASE_URL" }: PostgresOptions) {
  if (!/^postgres(?:ql)?:\/\//u.test(url) || !URL.canParse(url)) {
    // The address is not repeated: it may hold a password.
    throw new Error(
      `${setting} is no address of a PostgreSQL database. Write it as postgres://user:password@host:5432/database; ` +
        "characters like @ : / # in the password are written in percent encoding.",
    );
  }
  if (tls === undefined) return { connectionString: url };
  return { connectionString: withoutTls(url), ssl: tls === "off" ? false : { ...tls } };
}

/** `pg` would let the URL override the options and parse it differently; `tls` already includes the URL's settings. */
function withoutTls(url: string): string {
  const address = new URL(url);
  for (const name of ["ssl", "sslmode", "sslcert", "sslkey", "sslrootcert", "uselibpqcompat"]) {
    address.searchParams.delete(name);
  }
  return address.toString();
}
