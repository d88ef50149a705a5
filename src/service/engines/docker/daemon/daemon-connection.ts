import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { isHangUp } from "../../../../platform/http/hang-up.ts";
import { orAborted } from "../../../../platform/waiting.ts";
import type { DaemonAddress } from "./daemon-address.ts";
import { DaemonError, isLost, unanswered } from "./daemon-error.ts";
import { Version } from "./daemon-schemas.ts";

/** Sends requests to a daemon, in a version of the API that it offers. */
export type DaemonConnection = {
  /** Resolves to the answer's stream, whatever its status. Rejects with a `DaemonError` without a status. */
  readonly send: (request: DaemonRequest) => Promise<IncomingMessage>;
  readonly clock: Pick<Clock, "limit">;
};

type DaemonRequest = {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its query, and without a version: `/containers/json?all=1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

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

export function connectTo(address: DaemonAddress, clock: Pick<Clock, "limit">): DaemonConnection {
  let prefix: Promise<string> | undefined;

  /** An upgrade, which may drop versions, ends all connections: afterwards the daemon is asked again. */
  const forget = (): void => void (prefix = undefined);

  async function prefixOf({ path, signal }: Pick<DaemonRequest, "path" | "signal">): Promise<string> {
    if (UNVERSIONED.includes(path)) return "";
    prefix ??= offeredBy(address, clock).catch((error: unknown) => {
      forget();
      throw error;
    });
    return await (signal ? orAborted(prefix, signal) : prefix);
  }

  return {
    clock,
    async send(request) {
      const path = `${await prefixOf(request)}${request.path}`;
      return await sendTo(address, { ...request, path }).catch((error: unknown) => {
        forget();
        throw error;
      });
    },
  };
}

/** The daemon's API version. Calls that need it have shorter limits of their own. */
async function offeredBy(address: DaemonAddress, clock: Pick<Clock, "limit">): Promise<string> {
  const said = await inTime({ clock, limitMs: WRITE_LIMIT_MS }, async (signal) => {
    const version = async () => await text(await sendTo(address, { method: "GET", path: "/version", signal }));
    return Version.safeParse(parsed(await againAfterHangUp(version)));
  });
  if (!said.success) throw new DaemonError(undefined, "what answers there is neither Docker nor Podman");
  const { ApiVersion: newest, MinAPIVersion: oldest = OLDEST } = said.data;
  return `/v${apiVersion({ newest, oldest })}`;
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

function sendTo(address: DaemonAddress, { method, path, headers, body, signal }: DaemonRequest) {
  const request = "tls" in address && address.tls ? tlsRequest : plainRequest;
  return new Promise<IncomingMessage>((resolve, reject) => {
    // One connection per request: the daemon may close a kept one while it is being reused, and then nobody knows whether
    // the request took effect.
    const options = {
      ...("socketPath" in address ? address : { host: address.host, port: address.port, ...address.tls }),
      agent: false,
      method,
      path,
      ...(headers && { headers }),
      ...(signal && { signal }),
    };
    const outgoing = request(options, (answer) => {
      // Its reader handles errors. A later one must not crash the server.
      answer.on("error", () => undefined);
      resolve(answer);
    });
    outgoing.on("error", (error) => reject(unanswered(error)));
    outgoing.end(body);
  });
}

export type DaemonCall = Pick<DaemonRequest, "method" | "path" | "headers" | "signal"> & {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How long a whole answer may take. */
  readonly limitMs?: number | undefined;
  /** Doing it twice has the effect of doing it once. All but POST are. */
  readonly isRepeatable?: boolean;
};

/** Asks once more, at once, when the daemon hangs up: on a busy machine Podman drops single connections. */
async function againAfterHangUp<Answer>(asked: () => Promise<Answer>): Promise<Answer> {
  try {
    return await asked();
  } catch (error) {
    if (!isHangUp(isLost(error) ? error.cause : error)) throw error;
    return await asked();
  }
}

async function withRepeats<Answer>(call: DaemonCall, asked: () => Promise<Answer>): Promise<Answer> {
  const { isRepeatable = call.method !== "POST" } = call;
  return await (isRepeatable ? againAfterHangUp(asked) : asked());
}

type DaemonReply = { readonly status: number; readonly body: unknown };

/** Resolves to the answer's stream, whatever its status. Rejects with a `DaemonError` without a status. */
export async function askForStream(daemon: DaemonConnection, call: DaemonCall): Promise<IncomingMessage> {
  return await withRepeats(call, () => ask(daemon, call));
}

async function ask(daemon: DaemonConnection, call: DaemonCall): Promise<IncomingMessage> {
  const { method, path, query = {}, body, headers = {}, signal } = call;
  const search = new URLSearchParams(query).toString();
  return await daemon.send({
    method,
    path: search === "" ? path : `${path}?${search}`,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
    signal,
  });
}

/**
 * The whole answer. Rejects with a `DaemonError` for a status of 400 and above, unless it is one of `passes`, and when
 * the answer doesn't arrive.
 */
export async function askOnce(
  daemon: DaemonConnection,
  call: DaemonCall,
  passes: readonly number[] = [],
): Promise<DaemonReply> {
  const { status, body } = await received(daemon, call);
  if (status >= 400 && !passes.includes(status)) throw new DaemonError(status, messageOf(body));
  return { status, body };
}

async function received(daemon: DaemonConnection, call: DaemonCall): Promise<DaemonReply> {
  const limitMs = call.limitMs ?? (call.method === "GET" ? READ_LIMIT_MS : WRITE_LIMIT_MS);
  return await inTime({ clock: daemon.clock, limitMs, signal: call.signal }, (signal) =>
    withRepeats(call, async () => {
      const answer = await ask(daemon, { ...call, signal });
      return { status: answer.statusCode ?? 0, body: parsed(await text(answer)) };
    }),
  );
}

type TimeLimit = {
  readonly clock: Pick<Clock, "limit">;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** What the daemon answers, or a `DaemonError` that says why it doesn't. */
async function inTime<Answer>(
  { clock, limitMs, signal }: TimeLimit,
  asked: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = clock.limit(limitMs);
  try {
    return await asked(signal ? AbortSignal.any([signal, limit]) : limit);
  } catch (error) {
    if (limit.aborted) throw new DaemonError(undefined, `it took longer than ${limitMs / 1_000} s`, { cause: error });
    throw error instanceof DaemonError ? error : unanswered(error);
  }
}

/** JSON, or the text itself. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Docker says `message`; Podman adds a `cause`. */
export function messageOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return String(body).trim();
}

/** Calls whose answers are read at once. */
export type DaemonAsker = {
  readonly read: <T extends z.ZodType>(
    schema: T,
    path: string,
    more?: Pick<DaemonCall, "query" | "limitMs">,
  ) => Promise<z.output<T>>;
  /** Undefined when there is none. */
  readonly find: <T extends z.ZodType>(schema: T, path: string) => Promise<z.output<T> | undefined>;
  /** `passes` are statuses of 400 and above that are no failure. */
  readonly post: (path: string, more?: Partial<DaemonCall>, passes?: readonly number[]) => Promise<unknown>;
};

export function askerOf(daemon: DaemonConnection): DaemonAsker {
  return {
    async read(schema, path, more = {}) {
      return schema.parse((await askOnce(daemon, { method: "GET", path, ...more })).body);
    },
    async find(schema, path) {
      const { status, body } = await askOnce(daemon, { method: "GET", path }, [404]);
      return status === 404 ? undefined : schema.parse(body);
    },
    async post(path, more = {}, passes = []) {
      return (await askOnce(daemon, { method: "POST", path, ...more }, passes)).body;
    },
  };
}
