import { StoreError } from "../../errors.ts";

const unreachable = "it cannot be reached";

/** Codes of PostgreSQL by class, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const postgresTrouble: readonly (readonly [RegExp, string])[] = [
  [/^08/u, unreachable],
  [/^28/u, "it refuses the user or the password of DATABASE_URL"],
  [/^3D/u, "the database that DATABASE_URL names does not exist"],
  [/^(?:57014|55P03|25P0[34])$/u, "it does not answer in time"],
  [/^57P/u, "it is being stopped or started"],
  [/^53/u, "it is at its limits (connections, memory or disk)"],
  [/^(?:40001|40P01)$/u, "too much is going on at once"],
  [/^25006$/u, "it is read-only now"],
  [/^58030$/u, "it cannot read or write its disk"],
];

/** SQLite's primary result codes, https://sqlite.org/rescode.html; extended ones keep them in the low byte. */
const sqliteTrouble: Readonly<Record<number, string>> = {
  5: "another program holds it locked",
  6: "another program holds it locked",
  8: "it cannot be written to",
  10: "it cannot read or write its disk",
  13: "its disk is full",
  14: "it cannot be opened",
};

/** Of the socket, when there is no answer from PostgreSQL at all. */
const socketCodes =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|E(?:TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN|ADDRNOTAVAIL)|ENOTFOUND|ENOENT|EACCES)$/u;
/** Of TLS, https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
const tlsCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|HOSTNAME_MISMATCH|EPROTO$)/u;
/** Messages of `pg` and `pg-pool` that come without a code. */
const driverSentences: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:Query read timeout|timeout e(?:xceeded|xpired)|Connection terminated due to connection timeout)/u,
    "it does not answer in time",
  ],
  [/^(?:Connection terminated|This socket has been ended|Postgres connection has been discarded)/u, unreachable],
  [/^Client (?:has encountered a connection error|was closed)/u, unreachable],
  [/^Cannot use a pool after calling end/u, "it was closed, because Gantry is stopping"],
  [/^The server does not support SSL/u, "it speaks no TLS, and the settings ask for TLS"],
];

/** The `StoreError` for an error of the driver; undefined for anything else, which is a bug. */
export function storeErrorOf(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return undefined;
  const why = troubleOf(error);
  if (why === undefined) return undefined;
  const code = codeOf(error) === "" ? "" : ` (${codeOf(error)})`;
  return new StoreError(
    `Gantry's database cannot be used: ${why}${code}. Nothing is carried out without a record; try again in a minute, ` +
      "and if it stays like this, tell those who run Gantry.",
    { cause: error },
  );
}

function troubleOf(error: Error): string | undefined {
  if ("errcode" in error && typeof error.errcode === "number") return sqliteTrouble[error.errcode & 0xff];
  const said = driverSentences.find(([pattern]) => pattern.test(error.message))?.[1];
  if (said !== undefined) return said;
  const code = codeOf(error);
  if (tlsCodes.test(code)) return "its TLS certificate or protocol is not accepted";
  // A file that cannot be opened is a mistake in the settings. An AggregateError: several addresses, and none answered.
  const isSocket = ("syscall" in error && error.syscall !== "open") || error instanceof AggregateError;
  if (isSocket && socketCodes.test(code)) return unreachable;
  return postgresTrouble.find(([pattern]) => pattern.test(code))?.[1];
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether a row was refused because a value that must be unique is there already, in this column of `change`. */
export function isTaken(error: unknown, column: string): boolean {
  if (!(error instanceof Error)) return false;
  const isPostgres = "code" in error && error.code === "23505" && "constraint" in error;
  if (isPostgres) return error.constraint === `change_${column}`;
  return error.message.includes(`UNIQUE constraint failed: change.${column}`);
}
