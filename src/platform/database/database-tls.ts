import { readFileSync } from "node:fs";
import type { PostgresOptions } from "./postgres.ts";
import { decodedIn } from "../optional.ts";

/** How connections to PostgreSQL are encrypted, and how much of the server's certificate is checked. */
export type DatabaseTls =
  | "off"
  | {
      readonly verify: "nothing" | "chain" | "chain and name";
      readonly caFile?: string;
      readonly certFile?: string;
      readonly keyFile?: string;
    };

type Given = {
  /** A valid postgres:// URL. */
  readonly url: string;
  /** DATABASE_TLS and DATABASE_CA, if set. */
  readonly tls: "off" | "verify" | "unverified" | undefined;
  readonly caFile: string | undefined;
};

type Mode = "off" | "nothing" | "chain" | "chain and name";
type Resolved = { readonly tls: DatabaseTls } | { readonly problem: string };

/**
 * libpq's modes, and node-postgres's own `no-verify`. `prefer` always encrypts, unlike libpq: an attacker in the middle
 * could force libpq's fallback to clear text.
 */
const modes: Readonly<Record<string, Mode>> = {
  disable: "off",
  prefer: "nothing",
  require: "nothing",
  "no-verify": "nothing",
  "verify-ca": "chain",
  "verify-full": "chain and name",
};
/** node-postgres's short form. */
const ssl: Readonly<Record<string, string>> = {
  "0": "disable",
  false: "disable",
  "1": "verify-full",
  true: "verify-full",
  "no-verify": "no-verify",
};
const byWord = { off: "off", unverified: "nothing", verify: "chain and name" } as const;

const known = new Set(["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "uselibpqcompat"]);

/** Combines DATABASE_URL and DATABASE_TLS. The URL wins; settings that contradict it are a problem. */
export function databaseTls(given: Given): Resolved {
  const { searchParams } = new URL(given.url);
  const rootCert = searchParams.get("sslrootcert") ?? undefined;
  const asked = readMode(searchParams, rootCert ?? given.caFile);
  if ("problem" in asked) return asked;
  const byUrl = asked.mode;
  const caFile = given.caFile ?? (rootCert === "system" ? undefined : rootCert);
  const mode = byUrl ?? byWord[given.tls ?? "off"];
  const problem = problemOf({ ...given, mode, byUrl, rootCert, searchParams, hasCa: caFile !== undefined });
  if (problem !== undefined) return { problem };
  if (mode === "off") return { tls: "off" };
  const certFile = searchParams.get("sslcert");
  const keyFile = searchParams.get("sslkey");
  return {
    tls: {
      verify: mode,
      ...(caFile !== undefined && { caFile }),
      ...(certFile !== null && { certFile }),
      ...(keyFile !== null && { keyFile }),
    },
  };
}

type Asked = { readonly mode: Mode | undefined };

function readMode(params: URLSearchParams, ca: string | undefined): Asked | { readonly problem: string } {
  const problem = wrongParameter(params);
  if (problem !== undefined) return { problem };
  const short = params.get("ssl");
  const long = params.get("sslmode");
  if (short !== null && long !== null) return { problem: "DATABASE_URL has both ssl and sslmode: keep sslmode." };
  const word = long ?? (short === null ? undefined : (ssl[short] ?? ""));
  if (word === undefined) return { mode: undefined };
  // As in libpq.
  if (word === "require" && ca !== undefined) return { mode: "chain" };
  const mode = modes[word];
  return mode === undefined ? { problem: `DATABASE_URL has an unsupported sslmode. ${knownModes}` } : { mode };
}

/** Parameters that would be ignored or are ambiguous. */
function wrongParameter(params: URLSearchParams): string | undefined {
  for (const name of params.keys()) {
    if (!/^(?:ssl|uselibpq)/iu.test(name)) continue;
    if (!known.has(name)) return `DATABASE_URL has a TLS parameter that Gantry doesn't know. ${knownModes}`;
    if (params.getAll(name).length > 1) return `DATABASE_URL has ${name} more than once: keep one.`;
  }
  return undefined;
}

const knownModes =
  "Use sslmode=verify-full, verify-ca (with sslrootcert), require, prefer (like require: no fallback to clear text) or disable.";

type Wanted = Given & {
  readonly mode: Mode;
  readonly byUrl: Mode | undefined;
  readonly rootCert: string | undefined;
  readonly hasCa: boolean;
  readonly searchParams: URLSearchParams;
};

function problemOf(wanted: Wanted): string | undefined {
  const { byUrl, tls, caFile, rootCert } = wanted;
  if (byUrl !== undefined && tls !== undefined && byWord[tls] !== byUrl) {
    return "DATABASE_TLS contradicts the sslmode in DATABASE_URL: remove DATABASE_TLS to use sslmode.";
  }
  if (caFile !== undefined && rootCert !== undefined && caFile !== rootCert) {
    return "DATABASE_CA contradicts the sslrootcert in DATABASE_URL: remove one of them.";
  }
  return unfit(wanted) ?? unused(wanted);
}

/** Combinations that this mode doesn't support. */
function unfit({ mode, hasCa, ...wanted }: Wanted): string | undefined {
  if (mode !== "off" && isSocket(wanted)) {
    return "DATABASE_URL is a Unix socket, which has no TLS: remove sslmode and DATABASE_TLS, or use sslmode=disable.";
  }
  if (mode === "chain" && !hasCa) {
    return "DATABASE_URL has sslmode=verify-ca, which needs the authority's certificate: add sslrootcert=FILE or set DATABASE_CA, or use verify-full.";
  }
  const isDirect = wanted.searchParams.get("sslnegotiation") === "direct";
  return mode === "off" && isDirect
    ? "DATABASE_URL has sslnegotiation=direct, but TLS is off: add sslmode=verify-full."
    : undefined;
}

/** A certificate authority that would never be used. */
function unused({ mode, caFile, rootCert }: Wanted): string | undefined {
  if (mode === "chain" || mode === "chain and name") return undefined;
  if (caFile !== undefined) return `DATABASE_CA would not be used: ${checkIt}`;
  return rootCert === undefined ? undefined : `DATABASE_URL has sslrootcert, which would not be used: ${checkIt}`;
}

const checkIt = "set DATABASE_TLS=verify or add sslmode=verify-full to DATABASE_URL, or remove it.";

/** As `pg` reads it: `host` in the query wins; a host that begins with a slash is a folder. */
function isSocket({ url, searchParams }: Pick<Wanted, "url" | "searchParams">): boolean {
  const host = searchParams.get("host") ?? decodeURIComponent(new URL(url).hostname);
  return host.startsWith("/");
}

/** Reads the certificates. Throws an Error that names the setting and the file. */
export function loadTls(tls: DatabaseTls): NonNullable<PostgresOptions["tls"]> {
  if (tls === "off") return "off";
  const ca = contentOf(tls.caFile, "The certificate in DATABASE_CA or sslrootcert");
  const cert = contentOf(tls.certFile, "The certificate in sslcert");
  const key = contentOf(tls.keyFile, "The key in sslkey");
  return {
    rejectUnauthorized: tls.verify !== "nothing",
    ...(tls.verify === "chain" && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function contentOf(path: string | undefined, what: string): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
    throw new Error(`${what} can't be read: ${path} (${why}). Nothing was started. Correct the path.`, { cause });
  }
}

/** Every part of a database's URL is percent-decoded later. */
export function hasValidEscapes(url: string): boolean {
  return decodedIn(url) !== undefined;
}

/** A database's URL, and the passwords in it. */
export function urlSecrets(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  const passwords = [decodeURIComponent(password), ...searchParams.getAll("password")];
  return [url, ...passwords.filter((each) => each !== "")];
}
