const unreachable = "it can't be reached";

/** Codes of PostgreSQL by class, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const postgresTrouble: readonly (readonly [RegExp, string])[] = [
  [/^08/u, unreachable],
  [/^28/u, "it rejected the user or password in SETTING"],
  [/^3D/u, "the database in SETTING doesn't exist"],
  [/^(?:57014|55P03|25P0[34])$/u, "it didn't answer in time"],
  [/^57P/u, "it is stopping or starting"],
  [/^53/u, "it reached a limit (connections, memory or disk)"],
  [/^(?:40001|40P01)$/u, "too many changes happened at the same time"],
  [/^25006$/u, "it is read-only"],
  [/^58030$/u, "it can't read or write its disk"],
];

/** SQLite's primary result codes, https://sqlite.org/rescode.html; extended ones keep them in the low byte. */
const sqliteTrouble: Readonly<Record<number, string>> = {
  5: "another program has locked it",
  6: "another program has locked it",
  8: "it is read-only",
  10: "it can't read or write its disk",
  13: "its disk is full",
  14: "it can't be opened",
};

/** Of all its errors. */
const SQLITE_CODE = "ERR_SQLITE_ERROR";

/** Of the socket, when there is no answer from PostgreSQL at all. */
const socketCodes =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|E(?:TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN|ADDRNOTAVAIL)|ENOTFOUND|ENOENT|EACCES)$/u;
/** Of TLS, https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
const tlsCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|HOSTNAME_MISMATCH|EPROTO$)/u;
/** Messages of `pg` and `pg-pool` that come without a code. */
const driverSentences: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:Query read timeout|timeout e(?:xceeded|xpired)|Connection terminated due to connection timeout)/u,
    "it didn't answer in time",
  ],
  [/^(?:Connection terminated|This socket has been ended|Postgres connection has been discarded)/u, unreachable],
  [/^Client (?:has encountered a connection error|was closed)/u, unreachable],
  [/^Cannot use a pool after calling end/u, "it is closed because Gantry is stopping"],
  [/^The server does not support SSL/u, "it doesn't support TLS, which the settings require"],
];

/**
 * Why a database can't be used, in words with the driver's code: it is away, slow or full, or its settings are wrong.
 * `setting` is the variable that holds its address. Undefined for any other error, which is a bug.
 */
export function databaseTroubleOf(error: Error, setting: string): string | undefined {
  const why = troubleOf(error)?.replace("SETTING", setting);
  const code = codeOf(error);
  return why === undefined || code === "" || code === SQLITE_CODE ? why : `${why} (${code})`;
}

function troubleOf(error: Error): string | undefined {
  if ("errcode" in error && typeof error.errcode === "number") return sqliteTrouble[error.errcode & 0xff];
  const said = driverSentences.find(([pattern]) => pattern.test(error.message))?.[1];
  if (said !== undefined) return said;
  const code = codeOf(error);
  if (tlsCodes.test(code)) return "its TLS certificate or protocol isn't accepted";
  // A file that cannot be opened is a mistake in the settings. An AggregateError: several addresses, and none answered.
  const isSocket = ("syscall" in error && error.syscall !== "open") || error instanceof AggregateError;
  if (isSocket && socketCodes.test(code)) return unreachable;
  return postgresTrouble.find(([pattern]) => pattern.test(code))?.[1];
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
