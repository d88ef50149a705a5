import type { Readable } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { isHangUp } from "../../../../platform/http/send.ts";
import { orAborted } from "../../../../platform/waiting.ts";
import { DaemonError, isLost, unanswered, Version } from "./daemon-answers.ts";
import { jsonIn } from "../../../../platform/optional.ts";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

export type DaemonCall = {
  /** GET, if none is given. */
  readonly method?: "POST" | "DELETE";
  /** Without a version: `/containers/json`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Doing it twice has the effect of doing it once, as for all methods but POST. */
  readonly isRepeatable?: boolean;
};

export type DaemonConnection = ReturnType<typeof connectTo>;

type Limited = { readonly limitMs?: number | undefined };
type Streamed = { readonly signal: AbortSignal; readonly headers?: Readonly<Record<string, string>> };

/** The engine is written for these versions of the API, and newer daemons offer the last one for long. */
const OLDEST = "1.41";
const NEWEST = "1.44";

/**
 * A daemon under load may take long: Podman waits for its storage before it tells its version. One that hangs is noticed
 * by daemon-health.ts.
 */
const READ_LIMIT_MS = 30_000;
const WRITE_LIMIT_MS = 120_000;

/** Asked in every version, so they tell whether the daemon answers at all. */
const UNVERSIONED: readonly string[] = ["/_ping", "/version"];

/** Calls of a daemon, in a version of its API that it offers. Each rejects with a `DaemonError`. */
export function connectTo(address: DaemonAddress, clock: Pick<Clock, "limit">) {
  const pool = new Pool(originOf(address), {
    connect: connectorOf(address),
    // One connection per request: the daemon may close a kept one while it is being reused, and then nobody knows whether
    // the request took effect.
    pipelining: 0,
    // Each call has its own limit, and a log may be silent for days.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  let prefix: Promise<string> | undefined;

  /** An upgrade, which may drop versions, ends all connections: afterwards the daemon is asked again. */
  const forget = (error: unknown): never => {
    prefix = undefined;
    throw error;
  };

  async function send(call: DaemonCall & Streamed): Promise<Dispatcher.ResponseData> {
    const { method = "GET", path, query, body, headers, signal } = call;
    const version = UNVERSIONED.includes(path) ? "" : await orAborted((prefix ??= offered().catch(forget)), signal);
    const answer = await pool
      .request({
        method,
        path: `${version}${path}`,
        headers: { ...headers, ...(body && { "content-type": "application/json" }) },
        signal,
        ...(query && { query }),
        ...(body && { body: JSON.stringify(body) }),
      })
      .catch((error: unknown) => forget(unanswered(error)));
    // Its reader handles errors. A later one must not crash the server.
    answer.body.on("error", () => undefined);
    return answer;
  }

  async function offered(): Promise<string> {
    const said = Version.safeParse(await ask({ path: "/version", limitMs: WRITE_LIMIT_MS }));
    if (!said.success) throw new DaemonError(undefined, "what answers there is neither Docker nor Podman");
    const { ApiVersion: newest, MinAPIVersion: oldest = OLDEST } = said.data;
    return `/v${apiVersion({ newest, oldest })}`;
  }

  /**
   * The body of the whole answer, within a time limit. Undefined for a status of 400 and above that is one of `passes`;
   * any other is a failure.
   */
  async function ask(call: DaemonCall & Limited, passes: readonly number[] = []): Promise<unknown> {
    const { limitMs = call.method === undefined ? READ_LIMIT_MS : WRITE_LIMIT_MS } = call;
    const signal = clock.limit(limitMs);
    try {
      return await againAfterHangUp(call, async () => {
        const { statusCode, body } = await send({ ...call, signal });
        const said = parsed(await body.text());
        if (statusCode < 400) return said;
        if (passes.includes(statusCode)) return undefined;
        throw new DaemonError(statusCode, messageOf(said));
      });
    } catch (error) {
      if (signal.aborted)
        throw new DaemonError(undefined, `it took longer than ${limitMs / 1_000} s`, { cause: error });
      throw error instanceof DaemonError ? error : unanswered(error);
    }
  }

  return {
    ask,
    read: async <T extends z.ZodType>(schema: T, call: DaemonCall & Limited): Promise<z.output<T>> =>
      schema.parse(await ask(call)),
    /** Undefined when there is none. */
    find: async <T extends z.ZodType>(schema: T, path: string): Promise<z.output<T> | undefined> => {
      const body = await ask({ path }, [404]);
      return body === undefined ? undefined : schema.parse(body);
    },
    /** The body as it comes, for as long as it comes. */
    stream: (call: DaemonCall & Streamed): Promise<Readable> =>
      againAfterHangUp(call, async () => {
        const { statusCode, body } = await send(call);
        if (statusCode >= 400) throw new DaemonError(statusCode, messageOf(parsed(await body.text())));
        return body;
      }),
  };
}

function connectorOf(address: DaemonAddress) {
  return "socketPath" in address ? { socketPath: address.socketPath } : { ...address.tls };
}

/** The version to speak with a daemon that offers these. Throws a `DaemonError` when all of them are too old. */
export function apiVersion({ newest, oldest }: { readonly newest: string; readonly oldest: string }): string {
  if (minor(newest) < minor(OLDEST)) {
    throw new DaemonError(undefined, `its API ${newest} is too old. Gantry needs ${OLDEST}: Docker 20.10, or Podman 4`);
  }
  if (minor(newest) <= minor(NEWEST)) return newest;
  return minor(oldest) > minor(NEWEST) ? oldest : NEWEST;
}

/** All versions of the API start with `1.` */
function minor(version: string): number {
  return Number(version.split(".")[1] ?? 0);
}

/** Asks once more, at once, when the daemon hangs up: on a busy machine Podman drops single connections. */
async function againAfterHangUp<Answer>(call: DaemonCall, asked: () => Promise<Answer>): Promise<Answer> {
  const { isRepeatable = call.method !== "POST" } = call;
  try {
    return await asked();
  } catch (error) {
    if (!isRepeatable || !isHangUp(isLost(error) ? error.cause : error)) throw error;
    return await asked();
  }
}

/** JSON, or the text itself. */
function parsed(body: string): unknown {
  const value = jsonIn(body);
  return value === undefined ? body : value;
}

/** Docker says `message`; Podman adds a `cause`. */
function messageOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return String(body).trim();
}

/** Where a daemon listens. */
export type DaemonAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly tls?: DaemonTls | undefined };

/** The certificates of a connection, as PEM. */
type DaemonTls = { readonly ca: string; readonly cert: string; readonly key: string };

export type TlsSettings = {
  /** DOCKER_TLS_VERIFY is set. */
  readonly isVerified: boolean;
  /** DOCKER_CERT_PATH; `~/.docker` if undefined. */
  readonly certPath?: string | undefined;
};

/** Of a text without a problem. Throws an Error that names the file when a certificate can't be read. */
export async function addressOf(text: string, { isVerified, certPath }: TlsSettings): Promise<DaemonAddress> {
  if (text.startsWith("unix://")) return { socketPath: text.slice("unix://".length) };
  const { hostname, port } = new URL(text);
  const host = hostname.replace(/^\[|\]$/gu, "");
  // Docker's own ports, without and with TLS.
  if (!isVerified) return { host, port: Number(port || 2375) };
  return { host, port: Number(port || 2376), tls: await certificatesIn(certPath ?? join(homedir(), ".docker")) };
}

async function certificatesIn(folder: string): Promise<DaemonTls> {
  const [ca, cert, key] = await Promise.all(
    ["ca.pem", "cert.pem", "key.pem"].map(async (name) => {
      return await readFile(join(folder, name), "utf8").catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(
          `Nothing was started: a certificate for Docker can't be read (${why}). Set DOCKER_CERT_PATH to the folder of ca.pem, cert.pem and key.pem, or unset DOCKER_TLS_VERIFY.`,
        );
      });
    }),
  );
  return { ca: ca ?? "", cert: cert ?? "", key: key ?? "" };
}

/** Whether the daemon runs on this machine, so that what it publishes on 127.0.0.1 can be reached. */
export function isLocal(address: DaemonAddress): boolean {
  return "socketPath" in address || /^(?:127\.|::1$|localhost$)/u.test(address.host);
}

/** For people; the form of DOCKER_HOST. */
export function addressText(address: DaemonAddress): string {
  if ("socketPath" in address) return `unix://${address.socketPath}`;
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}`;
}

/** For requests. A socket's server may have any name. */
function originOf(address: DaemonAddress): string {
  if ("socketPath" in address) return "http://localhost";
  return addressText(address).replace("tcp:", address.tls ? "https:" : "http:");
}
